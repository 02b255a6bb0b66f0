// A stranger's connection: bytes go out as they are, answers are only counted by their status.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../random.ts'
import type { Access } from '../requests.ts'
import type { GenuineCursor } from './genuine-cursors.ts'
import type { Genuine } from './requests.ts'

/** What a stranger knows, and when to stop. */
export type Attack = {
  readonly access: Access
  readonly adminJwt: string
  readonly cursors: readonly GenuineCursor[]
  /** An access token of an agent, which a forger copies. */
  readonly token: string
  /** A client whose secret another server hashed, at a price. */
  readonly importedClientId: string
  readonly random: Random
  readonly isOver: () => boolean
  readonly tally: Tally
}

/** Does what strangers do until the attack is over. */
export type Strangers = (attack: Attack) => Promise<void>

export type Tally = {
  connections: number
  /** Requests answered, by status. */
  readonly statuses: Map<number, number>
}

export type Stranger = {
  readonly socket: Socket
  /** Waits for so many more answers; false where the connection ends before. */
  readonly answered: (count: number) => Promise<boolean>
}

/** What strangers have seen of honest callers. */
export const genuineOf = ({ access, token }: Attack): Genuine => ({
  clientId: access.agent.clientId,
  operatorJwt: access.operatorJwt,
  token,
})

type Options = { readonly source?: string; readonly allowHalfOpen?: boolean }

const STATUS_LINE = /HTTP\/1\.1 (\d{3})/g
const STATUS_LINE_CHARACTERS = 'HTTP/1.1 200'.length
const REFUSED_PAUSE_MS = 20

/** Counts status lines in a stream of text, which may be cut anywhere. */
export const makeStatusCounter = (onStatus: (status: number) => void): ((text: string) => void) => {
  let rest = ''
  return text => {
    const seen = rest + text
    let end = 0
    for (const match of seen.matchAll(STATUS_LINE)) {
      onStatus(Number(match[1]))
      end = match.index + STATUS_LINE_CHARACTERS
    }
    rest = seen.slice(Math.max(end, seen.length - STATUS_LINE_CHARACTERS + 1))
  }
}

// All of 127.0.0.0/8 is the loopback on Linux: honest callers have another address than strangers.
const isLinux = process.platform === 'linux'
const STRANGER_ADDRESS = isLinux ? '127.0.0.66' : '127.0.0.1'

/** One of 65,024 addresses, where the system has them. */
export const anyAddress = ({ between }: Random): string =>
  isLinux ? `127.77.${between(0, 255)}.${between(1, 254)}` : STRANGER_ADDRESS

/** Returns undefined if the service does not accept the connection; then some time has passed. */
export const openStranger = async (attack: Attack, options: Options = {}): Promise<Stranger | undefined> => {
  const { access, tally } = attack
  const { source = STRANGER_ADDRESS, allowHalfOpen = false } = options
  const socket = connect({ host: '127.0.0.1', port: access.port, noDelay: true, localAddress: source, allowHalfOpen })
  let left = 0
  let settle: ((isAnswered: boolean) => void) | undefined
  const count = makeStatusCounter(status => {
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
    left -= 1
    if (left === 0) settle?.(true)
  })
  socket.setEncoding('latin1').on('data', (text: string) => count(text))
  socket.on('error', () => undefined)
  socket.on('close', () => settle?.(false))
  try {
    await once(socket, 'connect')
  } catch {
    await delay(REFUSED_PAUSE_MS)
    return undefined
  }
  tally.connections += 1
  return {
    socket,
    answered: expected =>
      new Promise(resolve => {
        if (socket.destroyed) return resolve(false)
        left = expected
        settle = resolve
      }),
  }
}

/** Repeats a step in so many callers until the attack is over. */
export const runCallers = async (attack: Attack, callers: number, step: () => Promise<void>): Promise<void> => {
  const runCaller = async (): Promise<void> => {
    while (!attack.isOver()) await step()
  }
  await Promise.all(Array.from({ length: callers }, runCaller))
}

/** Opens so many connections, a few at a time, and leaves them open. */
export const openMany = async (attack: Attack, count: number, options?: Options): Promise<readonly Stranger[]> => {
  const opened: Stranger[] = []
  for (let tries = 0; tries < count && !attack.isOver(); tries += 1) {
    const stranger = await openStranger(attack, options)
    if (stranger !== undefined) opened.push(stranger)
  }
  return opened
}

const POLL_MS = 20

export const untilOver = async (attack: Attack): Promise<void> => {
  while (!attack.isOver()) await delay(POLL_MS)
}
