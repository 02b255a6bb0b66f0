// One process of simulated followers: each holds a stream of the revocation feed on a socket of its own and reads what
// comes. All read how far the feed is; some, spread evenly over the others, also note when each ended token was named.
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export type Settings = {
  readonly port: number
  readonly apiKey: string
  /** The position of the feed at which the streams begin. */
  readonly epoch: string
  readonly position: number
  readonly followers: number
  /** How many of them note ended tokens. */
  readonly noting: number
}

/** What the drill asks, each with a number that its reply repeats. */
export type Asked =
  /** Replied to once every stream has begun, or one was not let in. */
  | { readonly n: number; readonly kind: 'open'; readonly settings: Settings }
  | { readonly n: number; readonly kind: 'counts' }
  /** Replied to once every connection has ended. */
  | { readonly n: number; readonly kind: 'close' }

/** Times are milliseconds of CLOCK_MONOTONIC, which all processes of a machine share. */
export type Noted = { readonly tail: string; readonly at: number }

export type Counts = {
  readonly open: number
  /** Streams that were refused, or ended before this side ended them. */
  readonly lost: number
  readonly firstLoss: string | null
  /** The least position of any follower. */
  readonly position: number
  readonly bytes: number
  readonly reads: number
  /** What was noted since the last report. */
  readonly noted: readonly Noted[]
  /** The processor time of this process since its start. */
  readonly processorSeconds: number
}

export type Reply = { readonly n: number; readonly counts: Counts }

/** Connections that are being made at a time. */
const OPENING_MAX = 128
/** The service may still count connections that have just been closed. */
const AGAIN_MS = 500
const AGAIN_MAX = 120
const READ_BYTES = 65_536
const TAIL_BYTES = 8
const POSITION = Buffer.from('"position":')
const OK = Buffer.from('HTTP/1.1 200')
const UNAVAILABLE = Buffer.from('HTTP/1.1 503')
const COMMA = 44

type Member = { readonly socket: Socket; position: number; hasBegun: boolean; text: string | null }

const now = (): number => Number(process.hrtime.bigint()) / 1e6

// What was read is looked at before the next read, of whichever socket: one buffer is enough for all.
const shared = Buffer.allocUnsafe(READ_BYTES)
const members = new Set<Member>()
const noted: Noted[] = []
let [bytes, reads, lost] = [0, 0, 0]
let firstLoss: string | null = null
let isClosing = false

const noteDocument = (jws: string, at: number): void => {
  const payload = Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()
  const { ended } = JSON.parse(payload) as { readonly ended: Readonly<Record<string, string>> }
  for (const tails of Object.values(ended)) {
    const all = Buffer.from(tails, 'base64url')
    for (let from = 0; from < all.length; from += TAIL_BYTES) {
      noted.push({ tail: all.toString('hex', from, from + TAIL_BYTES), at })
    }
  }
}

/** Chunks of the transfer coding may stand between any two bytes of an event: only the lines of its data are looked for. */
const noteEvents = (member: Member, read: Buffer): void => {
  const at = now()
  const text = `${member.text ?? ''}${read.toString('latin1')}`
  const end = text.lastIndexOf('\n\n')
  member.text = text.slice(end + 1)
  for (const [, jws = ''] of text.slice(0, end + 1).matchAll(/event: changes\ndata: ([\w.-]+)\n/g))
    noteDocument(jws, at)
}

/** Returns the position in a heartbeat, which alone has it outside a signed document. */
const positionIn = (read: Buffer): number | undefined => {
  const at = read.lastIndexOf(POSITION)
  if (at < 0) return undefined
  const from = at + POSITION.length
  const to = read.indexOf(COMMA, from)
  return to < 0 ? undefined : Number(read.toString('latin1', from, to))
}

const take = (member: Member, read: Buffer): void => {
  bytes += read.length
  reads += 1
  member.position = positionIn(read) ?? member.position
  if (member.text !== null) noteEvents(member, read)
}

const noteLoss = (why: string): void => {
  lost += 1
  firstLoss ??= why
}

type Opened = 'begun' | 'unavailable' | 'lost'

const beginsWith = (read: Buffer, beginning: Buffer): boolean => read.subarray(0, beginning.length).equals(beginning)

const requestOf = ({ apiKey, epoch, position }: Settings): string => {
  const query = new URLSearchParams({ epoch, position: String(position) })
  const head = [
    `GET /oauth/revocation-feed/stream?${query.toString()} HTTP/1.1`,
    'Host: 127.0.0.1',
    `X-API-Key: ${apiKey}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n`
}

const openOne = (settings: Settings, isNoting: boolean): Promise<Opened> =>
  new Promise(resolve => {
    const refuse = (read: Buffer): void => {
      const isUnavailable = beginsWith(read, UNAVAILABLE)
      if (!isUnavailable) noteLoss(read.toString('latin1').slice(0, 500))
      members.delete(member)
      socket.destroy()
      resolve(isUnavailable ? 'unavailable' : 'lost')
    }
    const callback = (size: number): boolean => {
      const read = shared.subarray(0, size)
      if (!member.hasBegun && !beginsWith(read, OK)) {
        refuse(read)
        return true
      }
      member.hasBegun = true
      resolve('begun')
      take(member, read)
      return true
    }
    const socket = connect({ host: '127.0.0.1', port: settings.port, onread: { buffer: shared, callback } })
    const member: Member = { socket, position: settings.position, hasBegun: false, text: isNoting ? '' : null }
    members.add(member)
    socket.write(requestOf(settings))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (members.delete(member) && !isClosing) noteLoss('The service ended a stream.')
      resolve('lost')
    })
  })

const openInTheEnd = async (settings: Settings, isNoting: boolean): Promise<void> => {
  for (let tries = 0; (await openOne(settings, isNoting)) === 'unavailable'; tries += 1) {
    if (tries === AGAIN_MAX) return noteLoss('The service takes no more followers.')
    await delay(AGAIN_MS)
  }
}

const open = async (settings: Settings): Promise<void> => {
  isClosing = false
  lost = 0
  firstLoss = null
  const { followers, noting } = settings
  const apart = Math.max(1, Math.floor(followers / noting))
  let next = 0
  const openSome = async (): Promise<void> => {
    for (;;) {
      if (next >= followers || lost > 0) return
      next += 1
      await openInTheEnd(settings, next % apart === 0 && next <= apart * noting)
    }
  }
  await Promise.all(Array.from({ length: OPENING_MAX }, openSome))
}

const close = async (): Promise<void> => {
  isClosing = true
  const closing = [...members].map(({ socket }) => {
    const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
    socket.destroy()
    return closed
  })
  await Promise.all(closing)
}

const countsNow = (): Counts => {
  const { user, system } = process.cpuUsage()
  const position = [...members].reduce((least, member) => Math.min(least, member.position), Number.MAX_SAFE_INTEGER)
  const counted = { open: members.size, lost, firstLoss, position, bytes, reads, noted: noted.splice(0) }
  return { ...counted, processorSeconds: (user + system) / 1e6 }
}

process.on('message', (asked: Asked) => {
  const respond = async (): Promise<void> => {
    if (asked.kind === 'open') await open(asked.settings)
    if (asked.kind === 'close') await close()
    const reply: Reply = { n: asked.n, counts: countsNow() }
    process.send?.(reply)
  }
  void respond()
})
// Without the drill there is nobody to report to.
process.once('disconnect', () => process.exit())
