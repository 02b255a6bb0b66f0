// Ports of the loopback for servers that start later than their port is chosen.
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below those that a system gives to outgoing connections: such a one could be anybody's before the server has started.
const FIRST = 12_000
const COUNT = 20_000
/** Processes that run at the same time begin so far apart. */
const APART = 61

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

/** A port that nobody listened on a moment ago, and that this process is not given again soon. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = FIRST + next
    next = (next + 1) % COUNT
    if (await isFree(port)) return port
  }
  throw new Error('No port is free.')
}
