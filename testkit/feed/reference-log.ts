// The revocation feed of the reference publisher: a log in memory, and the five requests of docs/apis/feed-protocol.md.
import type { ServerResponse } from 'node:http'

export type PublishedCutOff = Readonly<Record<string, unknown>> & { readonly seq: number; readonly until: number }

/** What a log needs of its publisher. */
type Publisher = {
  readonly log: Log
  readonly now: () => number
  readonly sign: (payload: Readonly<Record<string, unknown>>) => string
}

type Fact = { readonly exp: number; readonly tail: Buffer } | PublishedCutOff

type Reader = { position: number; readonly response: ServerResponse }

type Poll = { readonly position: number; readonly answer: () => void }

type Ended = { readonly jti: string; readonly exp: number }

export type Log = {
  epoch: string
  /** The facts of position n stand at n − 1. */
  readonly facts: Fact[]
  /** The number of facts in a segment. */
  segmentLength: number
  readonly hasEnded: (jti: string) => boolean
  readonly end: (publisher: Publisher, ended: Ended) => void
  readonly cutOff: (publisher: Publisher, cutOff: PublishedCutOff) => void
  /** Writes a heartbeat to each stream. */
  readonly beat: (publisher: Publisher) => void
  readonly respond: (publisher: Publisher, url: URL, response: ServerResponse) => unknown
  /** Ends streams and polls. */
  readonly close: () => void
  readonly streams: () => number
}

const HEARTBEAT_MS = 1000

/** The tail of an id: its last 8 bytes. */
export const tailOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', '').slice(16), 'hex')

const isEnd = (fact: Fact): fact is { readonly exp: number; readonly tail: Buffer } => 'tail' in fact

const endedIn = (facts: readonly Fact[]): Readonly<Record<string, string>> => {
  const seconds = Map.groupBy(facts.filter(isEnd), ({ exp }) => String(exp))
  return Object.fromEntries(
    [...seconds].map(([exp, ends]) => [exp, Buffer.concat(ends.map(({ tail }) => tail)).toString('base64url')]),
  )
}

/** The payload of changes or of a segment. */
export const changesBetween = (
  { log, now }: Publisher,
  from: number,
  to: number,
): Readonly<Record<string, unknown>> => {
  const facts = log.facts.slice(from, to)
  return { epoch: log.epoch, now: now(), from, to, ended: endedIn(facts), cut_offs: facts.filter(fact => !isEnd(fact)) }
}

export const headOf = ({ log, now }: Publisher): Readonly<Record<string, unknown>> => ({
  epoch: log.epoch,
  position: log.facts.length,
  now: now(),
})

const snapshotOf = (publisher: Publisher): Readonly<Record<string, unknown>> => {
  const { facts, segmentLength } = publisher.log
  const count = Math.ceil(facts.length / segmentLength)
  const segments = Array.from({ length: count }, (_, n) => [
    n * segmentLength,
    Math.min(facts.length, (n + 1) * segmentLength),
  ])
  return { ...headOf(publisher), segments }
}

const sendDocument = (response: ServerResponse, document: string): unknown =>
  response.writeHead(200, { 'content-type': 'application/revocations+jwt' }).end(document)

const writeEvent = (response: ServerResponse, event: string, data: string): boolean =>
  response.write(`event: ${event}\ndata: ${data}\n\n`)

const refuse = (response: ServerResponse, status: number): unknown =>
  response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"epoch_changed"}')

/** The feed's own state: who waits and who reads. */
const makeReaders = () => {
  const readers = new Set<Reader>()
  const polls = new Set<Poll>()
  return {
    readers,
    polls,
    /** There are new facts. */
    wake: (publisher: Publisher): void => {
      const { length } = publisher.log.facts
      for (const reader of readers) {
        if (reader.position === length) continue
        writeEvent(reader.response, 'changes', publisher.sign(changesBetween(publisher, reader.position, length)))
        reader.position = length
      }
      for (const { position, answer } of polls) if (position < length) answer()
    },
  }
}

type Readers = ReturnType<typeof makeReaders>

const poll = ({ polls }: Readers, publisher: Publisher, url: URL, response: ServerResponse): void => {
  const position = Number(url.searchParams.get('position'))
  const wait = Number(url.searchParams.get('wait') ?? 0)
  const answer = (): void => {
    clearTimeout(timer)
    polls.delete(entry)
    sendDocument(response, publisher.sign(changesBetween(publisher, position, publisher.log.facts.length)))
  }
  const timer = setTimeout(() => answer(), wait * 1000)
  const entry = { position, answer }
  if (wait === 0 || publisher.log.facts.length > position) return answer()
  polls.add(entry)
  response.on('close', () => {
    clearTimeout(timer)
    polls.delete(entry)
  })
}

const stream = ({ readers, wake }: Readers, publisher: Publisher, url: URL, response: ServerResponse): void => {
  const reader = { position: Number(url.searchParams.get('position')), response }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  readers.add(reader)
  response.on('close', () => readers.delete(reader))
  writeEvent(response, 'heartbeat', JSON.stringify({ ...headOf(publisher), position: reader.position }))
  wake(publisher)
}

const SEGMENT = /^\/oauth\/revocation-feed\/segments\/([\w.-]+)\/(\d+)-(\d+)$/

const respond = (readers: Readers, publisher: Publisher, url: URL, response: ServerResponse): unknown => {
  const { log } = publisher
  const path = url.pathname.replace('/oauth/revocation-feed', '')
  if (path === '') return response.writeHead(200).end(JSON.stringify(headOf(publisher)))
  const [, segmentEpoch, from, to] = SEGMENT.exec(url.pathname) ?? []
  const epoch = segmentEpoch ?? url.searchParams.get('epoch') ?? log.epoch
  if (epoch !== log.epoch || Number(url.searchParams.get('position')) > log.facts.length) return refuse(response, 409)
  if (segmentEpoch !== undefined)
    return sendDocument(response, publisher.sign(changesBetween(publisher, Number(from), Number(to))))
  if (path === '/snapshot') return sendDocument(response, publisher.sign(snapshotOf(publisher)))
  if (path === '/changes') return poll(readers, publisher, url, response)
  return path === '/stream' ? stream(readers, publisher, url, response) : refuse(response, 404)
}

export const makeLog = (): Log => {
  const readers = makeReaders()
  const ended = new Set<string>()
  let beating: NodeJS.Timeout | undefined
  const log: Log = {
    epoch: 'epoch-1',
    facts: [],
    segmentLength: 3,
    hasEnded: jti => ended.has(jti),
    end: (publisher, { jti, exp }) => {
      ended.add(jti)
      log.facts.push({ exp, tail: tailOf(jti) })
      readers.wake(publisher)
    },
    cutOff: (publisher, cutOff) => {
      log.facts.push(cutOff)
      readers.wake(publisher)
    },
    beat: publisher => {
      for (const { response } of readers.readers) writeEvent(response, 'heartbeat', JSON.stringify(headOf(publisher)))
    },
    respond: (publisher, url, response) => {
      beating ??= setInterval(() => log.beat(publisher), HEARTBEAT_MS)
      return respond(readers, publisher, url, response)
    },
    close: () => {
      clearInterval(beating)
      beating = undefined
      for (const { response } of readers.readers) response.end()
      readers.readers.clear()
      for (const { answer } of readers.polls) answer()
    },
    streams: () => readers.readers.size,
  }
  return log
}
