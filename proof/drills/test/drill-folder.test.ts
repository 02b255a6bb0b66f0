// What a drill has started ends with it, however the drill ends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, watch } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const MODULE = new URL('../cluster/drill-folder.ts', import.meta.url).href

/** A drill that starts a process in a group of its own, which connects to the port, another below that, and one that no folder is named for. */
const drillText = (port: number): string => `
  import { spawn } from 'node:child_process'
  import { makeDrillFolder } from '${MODULE}'
  const connect = "require('node:net').connect(${port}, '127.0.0.1')"
  const both = connect + "; require('node:child_process').spawn(process.execPath, ['-e', " + JSON.stringify(connect) +
    "], { detached: true })"
  makeDrillFolder().launch({ name: 'part', program: process.execPath, args: ['-e', both] })
  spawn(process.execPath, ['-e', connect], { env: {} })
  setInterval(() => undefined, 1000)
`

test('on Linux a drill that is killed leaves no process and no folder behind', { timeout: 300_000 }, async t => {
  // Elsewhere there is no /proc, and findParts() says so before anything is started.
  if (process.platform !== 'linux') return
  const top = mkdtempSync(join(tmpdir(), 'mintmark-test-'))
  t.after(() => rmSync(top, { recursive: true, force: true }))
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  const drill = spawn(process.execPath, ['--input-type=module', '-e', drillText(port)], {
    env: { ...process.env, TMPDIR: top },
    stdio: 'inherit',
  })
  while (sockets.length < 3) sockets.push(...((await once(server, 'connection')) as [Socket]))
  const gone = sockets.map(async socket => {
    socket.on('error', () => undefined).resume()
    await new Promise(resolve => socket.once('close', resolve))
  })
  const folders = watch(top)
  t.after(() => folders.close())
  drill.kill('SIGKILL')
  await Promise.all(gone)
  while (readdirSync(top).length > 0) await once(folders, 'change')
})
