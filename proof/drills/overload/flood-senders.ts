// The connections of a flood: each is opened again as soon as it ends, and none ever pauses.
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { makeAnswerReader } from './answer-reader.ts'
import type { Manner } from './flood-kinds.ts'

export type FloodOrder = {
  readonly port: number
  readonly manner: Manner
  readonly requests: readonly Uint8Array[]
  readonly connections: number
  /** The number of loopback addresses that the flood comes from. */
  readonly addresses: number
}

export type FloodCounts = {
  /** Connections that were made. */
  opened: number
  /** Connections on which an answer came: a connection that waits to be accepted burdens nobody yet. */
  served: number
  /** Connections that ended though this side wanted to keep them, and connections that could not be made. */
  lost: number
  /** What this side sent whole, or as much of it as its manner says. */
  sent: number
  readonly statuses: Map<number, number>
}

type Flooding = {
  readonly order: FloodOrder
  readonly counts: FloodCounts
  readonly sockets: Set<Socket>
  readonly next: () => Uint8Array
  readonly onServed: () => void
  connecting: number
  isOver: boolean
}

/** How many connections are being made at a time. */
const CONNECTING_MAX = 256
const READ_BYTES = 65_536
/** A connection that cannot be made is tried again after this: else the generator would do nothing else. */
const REFUSED_PAUSE_MS = 20
const SLOW_BYTE_MS = 1000
const HALF_MS = 500
const ADDRESSES_A_NET = 250

// Read and counted before the next read: one for all connections.
const readBuffer = Buffer.allocUnsafe(READ_BYTES)

const addressOf = (n: number): string | undefined =>
  process.platform === 'linux' ? `127.66.${Math.floor(n / ADDRESSES_A_NET)}.${1 + (n % ADDRESSES_A_NET)}` : undefined

const act: Readonly<Record<Manner, (flooding: Flooding, socket: Socket) => void>> = {
  ask: ({ next }, socket) => void socket.write(next()),
  reset: ({ next }, socket) => void socket.write(next(), () => socket.resetAndDestroy()),
  slow: (_flooding, socket) => void socket.write('POST /oauth/token HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '),
  half: ({ next }, socket) => {
    const request = next()
    socket.write(request.subarray(0, Math.floor(request.length / 2)))
    setTimeout(() => socket.destroy(), HALF_MS)
  },
}

/** Counts a connection once it takes part in the flood, whether it was the sender's first or not. */
const serve = (flooding: Flooding): void => {
  flooding.counts.served += 1
  if (flooding.counts.served === flooding.order.connections) flooding.onServed()
}

const openSender = (flooding: Flooding, sender: number): void => {
  const { order, counts, sockets, next } = flooding
  let isServed = false
  const read = makeAnswerReader(status => {
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1)
    if (!isServed) serve(flooding)
    isServed = true
    if (order.manner !== 'ask') return
    counts.sent += 1
    socket.write(next())
  })
  const localAddress = addressOf(sender % order.addresses)
  const socket = connect({
    host: '127.0.0.1',
    port: order.port,
    noDelay: true,
    ...(localAddress !== undefined && { localAddress }),
    onread: {
      buffer: readBuffer,
      callback: (bytes: number) => {
        read(readBuffer.subarray(0, bytes))
        return true
      },
    },
  })
  flooding.connecting += 1
  sockets.add(socket)
  let isMade = false
  socket.on('error', () => undefined)
  socket.on('connect', () => {
    isMade = true
    flooding.connecting -= 1
    counts.opened += 1
    counts.sent += 1
    if (order.manner !== 'ask') serve(flooding)
    act[order.manner](flooding, socket)
  })
  socket.on('close', () => {
    sockets.delete(socket)
    if (!isMade) flooding.connecting -= 1
    if (flooding.isOver) return
    if (!isMade || order.manner === 'ask' || order.manner === 'slow') counts.lost += 1
    if (isMade) setImmediate(openAgain, flooding, sender)
    else setTimeout(openAgain, REFUSED_PAUSE_MS, flooding, sender)
  })
}

const openAgain = (flooding: Flooding, sender: number): void => {
  if (!flooding.isOver) openSender(flooding, sender)
}

const openAll = async (flooding: Flooding): Promise<void> => {
  for (let sender = 0; sender < flooding.order.connections && !flooding.isOver; sender += 1) {
    while (flooding.connecting >= CONNECTING_MAX && !flooding.isOver) await delay(1)
    openAgain(flooding, sender)
  }
}

const makeNext = (requests: readonly Uint8Array[]): (() => Uint8Array) => {
  let sent = 0
  return () => {
    const request = requests[sent % requests.length]
    if (request === undefined) throw new Error('A flood has nothing to send.')
    sent += 1
    return request
  }
}

export type RunningFlood = {
  /** Resolves once as many connections take part as were ordered: for `ask` those with an answer. */
  readonly served: Promise<void>
  readonly counts: FloodCounts
  /** Resets every connection. */
  readonly stop: () => FloodCounts
}

/** Starts a flood; it goes on until it is stopped. */
export const startFlood = (order: FloodOrder): RunningFlood => {
  const counts: FloodCounts = { opened: 0, served: 0, lost: 0, sent: 0, statuses: new Map() }
  const next = makeNext(order.requests)
  const served = Promise.withResolvers<void>()
  const onServed = served.resolve
  const flooding: Flooding = { onServed, order, counts, sockets: new Set(), next, connecting: 0, isOver: false }
  const dribble = setInterval(() => {
    if (order.manner === 'slow') for (const socket of flooding.sockets) if (socket.writable) socket.write('a')
  }, SLOW_BYTE_MS)
  void openAll(flooding)
  return {
    counts,
    served: served.promise,
    stop: () => {
      flooding.isOver = true
      clearInterval(dribble)
      for (const socket of flooding.sockets) socket.resetAndDestroy()
      return counts
    },
  }
}
