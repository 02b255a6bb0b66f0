// Servers from Debian, which are unpacked and not installed.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DEBIAN, ORDERS } from '../requests/environment.ts'
import { end, freePort, untilAnswering } from '../service.ts'

const libraries = (): string =>
  readdirSync(join(DEBIAN, 'usr/lib'))
    .filter(name => name.endsWith('-linux-gnu'))
    .map(name => join(DEBIAN, 'usr/lib', name))
    .join(':')

/** Writes a template with its names in ${} put in. */
export const substitute = (template: string, path: string, variables: Readonly<Record<string, string>>): string => {
  const text = readFileSync(template, 'utf8')
  writeFileSync(
    path,
    text.replaceAll(/\$\{(\w+)\}/g, (_text, one: string) => variables[one] ?? ''),
  )
  return path
}

export type Gateway = { readonly origin: string; readonly folder: string }

/** Starts a server of Debian, or the one at an absolute path, waits until it answers, and ends it after the use. */
export const withGateway = async (
  command: string,
  prepare: (gateway: Gateway) => { readonly args: readonly string[]; readonly env?: Record<string, string> },
  use: (origin: string) => Promise<void>,
): Promise<void> => {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-gateway-'))
  // The server may read it as another user.
  chmodSync(folder, 0o755)
  const origin = `http://127.0.0.1:${port}`
  const { args, env } = prepare({ origin, folder })
  const running: ChildProcess = spawn(resolve(DEBIAN, 'usr/sbin', command), args, {
    env: {
      ...process.env,
      LD_LIBRARY_PATH: libraries(),
      DEBIAN,
      RESOURCE: ORDERS,
      FOLDER: folder,
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  try {
    await untilAnswering(origin, running)
    await use(origin)
  } finally {
    await end(running)
    rmSync(folder, { recursive: true })
  }
}
