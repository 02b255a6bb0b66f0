// A server as a process of its own, kept on the servers' cores, started until it is ready and ended by its id.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { endChild } from '../../../testkit/processes/end-child.ts'
import type { Cores } from '../machine.ts'

const READY_MS_MAX = 30_000
const END_MS_MAX = 15_000

export type Variables = Readonly<Record<string, string>>

export type ServerProcess = {
  readonly pid: number
  /** What standard output held when the server was ready. */
  readonly printed: string
  readonly stop: () => Promise<void>
}

type Start = {
  /** Arguments of Node: its options, the file, the arguments of the file. */
  readonly args: readonly string[]
  readonly variables?: Variables
  /** The server is ready once what it prints matches. */
  readonly ready: RegExp
  readonly cores: Cores
  /** Standard error goes through a pipe to a program that throws it away, in place of a file. */
  readonly isPiped?: boolean
}

// What is left when the command ends in the middle, by a signal perhaps, ends with it.
const folders = new Set<string>()
const servers = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of servers) child.kill('SIGKILL')
  for (const folder of folders) removeFolder(folder)
})

export const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-bench-'))
  folders.add(folder)
  return folder
}

export const removeFolder = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true })
  folders.delete(folder)
}

/** Nothing of this environment reaches a server but the way to its programs. */
export const serverEnvironment = (variables: Variables = {}): Variables => ({
  PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
  NODE_ENV: 'production',
  ...variables,
})

const untilPrinted = (child: ChildProcess, ready: RegExp, log: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let printed = ''
    const failed = (what: string) =>
      reject(new Error(`A server ${what}:\n${existsSync(log) ? readFileSync(log, 'utf8') : ''}${printed}`))
    const timer = setTimeout(failed, READY_MS_MAX, `was not ready within ${READY_MS_MAX} ms`)
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (!ready.test(printed)) return
      clearTimeout(timer)
      resolve(printed)
    })
    child.once('error', error => failed(`could not be started (${error.message})`))
    child.once('exit', () => failed('ended before it was ready'))
  })

const end = async (child: ChildProcess): Promise<void> => {
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS_MAX)
  await endChild(child, 'SIGTERM')
  clearTimeout(timer)
}

/** A pipe that `cat` empties: Node would make a socket, which is written in another way. */
const openPipe = (path: string, cores: Cores): number => {
  const { status } = spawnSync('mkfifo', [path])
  if (status !== 0) throw new Error('A pipe needs mkfifo.')
  // For both ends: neither waits for the other to be opened.
  const pipe = openSync(path, 'r+')
  const reader = openSync(path, 'r')
  const [file = '', ...rest] = cores === null ? ['cat'] : ['taskset', '-c', cores.load, 'cat']
  // It ends with the last writer.
  spawn(file, rest, { stdio: [reader, 'ignore', 'ignore'] }).unref()
  closeSync(reader)
  return pipe
}

export const startServer = async ({ args, variables, ready, cores, isPiped }: Start): Promise<ServerProcess> => {
  const folder = makeFolder()
  const log = join(folder, 'stderr')
  const stderr = isPiped === true ? openPipe(join(folder, 'pipe'), cores) : openSync(log, 'w')
  const command = [process.execPath, ...args]
  // taskset becomes the program that it starts: the id stays.
  const [file = '', ...rest] = cores === null ? command : ['taskset', '-c', cores.servers, ...command]
  const child = spawn(file, rest, { cwd: folder, env: serverEnvironment(variables), stdio: ['ignore', 'pipe', stderr] })
  closeSync(stderr)
  servers.add(child)
  child.once('exit', () => servers.delete(child))
  try {
    const printed = await untilPrinted(child, ready, log)
    const stop = async (): Promise<void> => {
      await end(child)
      removeFolder(folder)
    }
    return { pid: child.pid ?? 0, printed, stop }
  } catch (error) {
    await end(child)
    removeFolder(folder)
    throw error
  }
}
