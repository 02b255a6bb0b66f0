// Honest callers beside a flood, so many requests a second of each kind, each kind on connections of its own.
import type { Answer } from '../connection.ts'
import { type Access, introspectRequest, isActiveIn, issueRequest, revokeRequest, tokenIn } from '../requests.ts'
import { ANSWER_MS_MAX, type Connections, type Exchanged, freshConnections, keepConnections } from './connections.ts'
import { addOutcome, type Asked, noTimes, type Outcome, type Pacing, startPace, type Timed } from './pace.ts'

/** `probe` asks as `readyz` does, but opens a connection for each request, as a balancer may. */
export const KINDS = ['introspect', 'revoke', 'self-revoke', 'readyz', 'probe'] as const

export type Kind = (typeof KINDS)[number]

/** One of something for each kind. */
export const perKind = <T>(make: (kind: Kind) => T): Record<Kind, T> => ({
  introspect: make('introspect'),
  revoke: make('revoke'),
  'self-revoke': make('self-revoke'),
  readyz: make('readyz'),
  probe: make('probe'),
})

export type Measured = {
  readonly kinds: Readonly<Record<Kind, Timed>>
  /** The longest that a request left after its time: what this side adds to a latency. */
  readonly lagMs: number
  /** Answers that none may be. */
  readonly wrong: readonly string[]
}

type Tokens = {
  /** Introspected, and never revoked. */
  readonly kept: string[]
  /** The next to be revoked. */
  readonly live: string[]
  /** The tokens whose revocation was acknowledged. */
  readonly ended: string[]
}

export type HonestOptions = {
  readonly access: Access
  /** A bare handler is asked the same, and any 200 will do. */
  readonly isBare: boolean
}

/** The rate of each kind but the probe, which needs a connection for each request. */
export const RATE_PER_SECOND = 50
const PROBES_PER_SECOND = 10
const KEPT_TOKENS = 100
/** Each kind keeps so many connections. */
const CONNECTIONS = 64
/** One in so many introspections is of a token whose revocation was acknowledged. */
const ENDED_EVERY = 4
const FILL_CONNECTIONS = 16
const CHECKED_MAX = 500

type World = {
  readonly options: HonestOptions
  readonly tokens: Tokens
  readonly wrong: string[]
  introspected: number
}

const OUTCOMES: Readonly<Record<number, Outcome>> = { 200: 'success', 503: 'unavailable' }

type Question = { readonly request: string; readonly check: (answer: Answer) => string | null }

const READY: Question = { request: 'GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', check: () => null }

/** Which request is next, and what is wrong about an answer of 200. */
const QUESTIONS: Readonly<Record<Kind, (world: World) => Question>> = {
  introspect: world => {
    const { tokens, options } = world
    world.introspected += 1
    const ended = world.introspected % ENDED_EVERY === 0 ? tokens.ended.at(-1) : undefined
    const token = ended ?? tokens.kept[world.introspected % tokens.kept.length] ?? ''
    const check = ({ body }: Answer): string | null => {
      const isActive = isActiveIn(body)
      if (ended !== undefined && isActive) return 'P1: a token was active after its revocation was acknowledged.'
      return ended === undefined && !isActive ? 'P5: a live token was inactive.' : null
    }
    return { request: introspectRequest(options.access, token), check }
  },
  revoke: world => revokeNext(world, 'manual_revocation'),
  'self-revoke': world => revokeNext(world, 'self_revocation'),
  readyz: () => READY,
  probe: () => READY,
}

const revokeNext = ({ tokens, options }: World, by: 'manual_revocation' | 'self_revocation'): Question => {
  const token = tokens.live.pop()
  if (token === undefined && !options.isBare) throw new Error('There is no token to revoke.')
  const check = (): null => {
    if (token !== undefined) tokens.ended.push(token)
    return null
  }
  return { request: revokeRequest(options.access, token ?? '', by), check }
}

const judgeAnswer = (world: World, { answer, sentAt, isForgotten }: Exchanged, { check }: Question): Asked => {
  if (answer === null) {
    const failure = isForgotten ? `no answer within ${ANSWER_MS_MAX} ms` : 'the connection ended'
    return { outcome: 'lost', failure, sentAt, isAnswered: false, isForgotten }
  }
  const outcome = OUTCOMES[answer.status] ?? 'wrong'
  const failure = outcome === 'success' ? null : `${answer.status} ${answer.body.slice(0, 120)}`
  const found = outcome === 'success' && !world.options.isBare ? check(answer) : null
  if (found !== null) world.wrong.push(found)
  return {
    outcome: found === null ? outcome : 'wrong',
    failure: found ?? failure,
    sentAt,
    isAnswered: true,
    isForgotten,
  }
}

type Measuring = { readonly kinds: Record<Kind, Timed>; readonly pacings: readonly Pacing[] }

export type HonestCallers = {
  /** Issues until so many tokens are there to be revoked. */
  readonly fill: (count: number) => Promise<void>
  /** Opens the connections that are kept, and starts. */
  readonly begin: () => Promise<void>
  /** Sends no more, and waits for all answers. */
  readonly end: () => Promise<Measured>
  /** How many of the tokens whose revocation was acknowledged are active. */
  readonly countRevived: () => Promise<number>
  readonly tokenSeen: () => string
}

const issueInto = async (connections: Connections, access: Access, tokens: string[], count: number): Promise<void> => {
  const issue = async (): Promise<void> => {
    while (tokens.length < count) {
      const { answer } = await connections.exchange(issueRequest(access.agent))
      if (answer?.status !== 200) throw new Error(`No token was issued without a flood: ${answer?.status ?? 'lost'}`)
      tokens.push(tokenIn(answer.body))
    }
  }
  await Promise.all(Array.from({ length: FILL_CONNECTIONS }, issue))
}

const askOf = (world: World, kind: Kind, connections: Connections, times: Timed) => {
  const start = performance.now()
  return async (due: number): Promise<void> => {
    const question = QUESTIONS[kind](world)
    addOutcome(times, judgeAnswer(world, await connections.exchange(question.request), question), { due, start })
  }
}

const countRevived = async ({ tokens, options, wrong }: World, connections: Connections): Promise<number> => {
  let revived = 0
  for (const token of tokens.ended.splice(0).slice(-CHECKED_MAX)) {
    const { answer } = await connections.exchange(introspectRequest(options.access, token))
    if (answer?.status !== 200) wrong.push(`An introspection after the flood: ${answer?.status ?? 'no answer'}`)
    else if (isActiveIn(answer.body)) revived += 1
  }
  return revived
}

const openEach = (port: number): Readonly<Record<Kind, Connections>> =>
  perKind(kind => (kind === 'probe' ? freshConnections(port) : keepConnections(port, CONNECTIONS)))

const startMeasuring = (world: World, each: Readonly<Record<Kind, Connections>>): Measuring => {
  const kinds = perKind(noTimes)
  const apartMs = 1000 / RATE_PER_SECOND / KINDS.length
  const pacings = KINDS.map((kind, n) => {
    const rate = kind === 'probe' ? PROBES_PER_SECOND : RATE_PER_SECOND
    return startPace(rate, n * apartMs, askOf(world, kind, each[kind], kinds[kind]))
  })
  return { kinds, pacings }
}

export const makeHonestCallers = (options: HonestOptions): HonestCallers => {
  const { access } = options
  const tokens: Tokens = { kept: [], live: [], ended: [] }
  const world: World = { options, tokens, wrong: [], introspected: 0 }
  const each = openEach(access.port)
  const own = keepConnections(access.port, FILL_CONNECTIONS)
  let measuring: Measuring | undefined
  return {
    fill: async count => {
      await issueInto(own, access, tokens.kept, KEPT_TOKENS)
      await issueInto(own, access, tokens.live, count)
    },
    begin: async () => {
      for (const kind of KINDS) await each[kind].open()
      measuring = startMeasuring(world, each)
    },
    end: async () => {
      if (measuring === undefined) throw new Error('Nothing is measured.')
      const { kinds, pacings } = measuring
      const lags = await Promise.all(pacings.map(({ stop }) => stop()))
      return { kinds, lagMs: Math.max(...lags), wrong: world.wrong.splice(0) }
    },
    countRevived: () => countRevived(world, own),
    tokenSeen: () => tokens.kept[0] ?? '',
  }
}
