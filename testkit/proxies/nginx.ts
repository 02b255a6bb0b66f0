// A real nginx in front of a service, which keeps the service's streams or passes them on at once.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endChild } from '../processes/end-child.ts'
import { findProgram } from '../processes/find-program.ts'
import { freePort } from '../processes/free-port.ts'

export type Nginx = {
  readonly port: number
  /** Sets the buffering of connections from now on; those that are open are closed within half a second. */
  readonly setBuffering: (isBuffering: boolean) => void
  readonly close: () => Promise<void>
}

const START_MS_MAX = 10_000
const POLL_MS = 20

export const findNginx = (): string | undefined => findProgram('nginx')

/** With HTTP/1.0, its default, nginx keeps a stream until a buffer is full; of HTTP/1.1 it passes on each chunk even so. */
const KEEPING = 'proxy_ignore_headers X-Accel-Buffering;'
const PASSING = 'proxy_http_version 1.1; proxy_set_header Connection "";'

/** `keepsStreams`: also those whose headers ask it not to, which it would follow otherwise. */
const settingsOf = (folder: string, port: number, to: number, keepsStreams: boolean): string => `
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
worker_processes 1;
worker_rlimit_nofile 4096;
worker_shutdown_timeout 500ms;
daemon off;
events { worker_connections 2048; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${to};
      proxy_buffering on;
      proxy_cache off;
      ${keepsStreams ? KEEPING : PASSING}
    }
  }
}
`

const isListening = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

const untilListening = async (child: ChildProcess, port: number): Promise<void> => {
  for (let waited = 0; !(await isListening(port)); waited += POLL_MS) {
    if (waited > START_MS_MAX || child.exitCode !== null) throw new Error('nginx does not listen.')
    await delay(POLL_MS)
  }
}

/** Listens on a free port of the loopback and passes requests on to another, with `proxy_buffering on` from the beginning. */
export const openNginx = async (program: string, to: number): Promise<Nginx> => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-nginx-'))
  // Its workers may be of another user.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  const write = (keepsStreams: boolean): void => writeFileSync(file, settingsOf(folder, port, to, keepsStreams))
  write(false)
  const args = ['-p', folder, '-c', file, '-e', join(folder, 'error.log')]
  const child = spawn(program, args, { stdio: 'ignore' })
  const close = async (): Promise<void> => {
    await endChild(child, 'SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await untilListening(child, port)
  } catch (fault) {
    await close()
    throw fault
  }
  return {
    port,
    setBuffering: isBuffering => {
      write(isBuffering)
      child.kill('SIGHUP')
    },
    close,
  }
}
