// Ports of the loopback for servers that start later than their port is chosen. A port is claimed by a file, for two processes that
// look for one at the same time would both find it free.
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { isRunning } from './processes.ts'

// Below those that a system gives to outgoing connections: such a one could be anybody's before the server has started.
const FIRST = 12_000
const COUNT = 20_000
/** Processes that run at the same time begin so far apart. */
const APART = 61

/** The folder that all runs on the machine share: each run of the tests has temporary files of its own. */
const CLAIMS = join(process.platform === 'win32' ? tmpdir() : '/tmp', `mintmark-ports-${userInfo().uid}`)

const claimed = new Set<string>()
process.on('exit', () => claimed.forEach(path => rmSync(path, { force: true })))

const hasCode = (fault: unknown, code: string): boolean =>
  fault instanceof Error && 'code' in fault && fault.code === code

/** 0 where it cannot be read, as while it is written or removed. */
const ownerOf = (path: string): number => {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch {
    return 0
  }
}

const claim = (port: number): boolean => {
  const path = join(CLAIMS, String(port))
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
  } catch (fault) {
    if (!hasCode(fault, 'EEXIST')) throw fault
    const owner = ownerOf(path)
    // It may be given to somebody else in this moment: the next port is as good.
    if (owner > 0 && !isRunning(owner)) rmSync(path, { force: true })
    return false
  }
  claimed.add(path)
  return true
}

let next = (process.pid * APART) % COUNT

const isFree = async (port: number): Promise<boolean> => {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch {
    return false
  }
  await once(probe.close(), 'close')
  return true
}

/** A port that nobody listens on and that no other process is given while this one lives. */
export const freePort = async (): Promise<number> => {
  mkdirSync(CLAIMS, { recursive: true })
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = FIRST + next
    next = (next + 1) % COUNT
    if (claim(port) && (await isFree(port))) return port
  }
  throw new Error('No port is free.')
}
