// Honest callers beside the strangers: so many requests a second of each kind, whatever becomes of the ones before, so
// that a service that stands still is asked as often as one that answers.
import { type Answer, type Connection, openConnection } from '../connection.ts'
import {
  type Access,
  introspectRequest,
  isActiveIn,
  issueRequest,
  readRequest,
  revokeRequest,
  tokenIn,
} from '../requests.ts'

export const KINDS = ['introspect', 'revoke', 'issue', 'list'] as const

export type Kind = (typeof KINDS)[number]

export type HonestCounts = {
  readonly asked: Readonly<Record<Kind, number>>
  readonly succeeded: Readonly<Record<Kind, number>>
  /** The 99th percentile of the answered introspections, in ms. */
  readonly introspectionMs: number
  /** What was wrong about the first that did not succeed. */
  readonly firstFailure: string | null
}

/** What honest callers know of their tokens, from one stage to the next. */
export type HonestTokens = {
  /** Issued, and nobody asked for their end. */
  readonly live: string[]
  /** The tokens whose end was acknowledged, in this stage. */
  readonly ended: string[]
}

/** Disposing of them stops them, where a fault kept anybody from doing so. */
type HonestCallers = AsyncDisposable & {
  /** Asks no more, and waits for what is under way. */
  readonly stop: () => Promise<HonestCounts>
}

const EVERY_MS: Readonly<Record<Kind, number>> = { introspect: 20, revoke: 100, issue: 80, list: 200 }
/** A request has 4.6 s at most, and the machine may be slow. */
const ANSWER_MS_MAX = 6000
const KEPT_CONNECTIONS_MAX = 8
/** One in so many introspections is of a token whose end was acknowledged. */
const ENDED_EVERY = 4
/** One in so many requests comes over a connection of its own. */
const FRESH_EVERY = 4

type Exchange = Disposable & { readonly ask: (request: string) => Promise<Answer>; readonly close: () => void }

/** One connection carries one request at a time; what failed is not used again. */
const makeExchange = (port: number): Exchange => {
  const kept: Connection[] = []
  let asked = 0
  // One that lay idle for as long as an answer may take has ended by itself.
  const takeKept = (): Connection | undefined => {
    const connection = kept.pop()
    return connection?.hasEnded() === true ? takeKept() : connection
  }
  const ask = async (request: string): Promise<Answer> => {
    asked += 1
    const reused = asked % FRESH_EVERY === 0 ? undefined : takeKept()
    const connection = reused ?? (await openConnection(port, ANSWER_MS_MAX))
    try {
      const answer = await connection.exchange(request)
      if (kept.length < KEPT_CONNECTIONS_MAX) kept.push(connection)
      else connection.close()
      return answer
    } catch (fault) {
      connection.close()
      throw fault
    }
  }
  const close = (): void => kept.forEach(connection => connection.close())
  return { ask, close, [Symbol.dispose]: close }
}

type World = {
  readonly access: Access
  readonly tokens: HonestTokens
  readonly ask: (request: string) => Promise<Answer>
  readonly report: (violation: string) => void
  asked: number
}

const succeed = async ({ ask }: World, request: string): Promise<string> => {
  const { status, body } = await ask(request)
  if (status === 200) return body
  throw new Error(`${status} ${body}`)
}

const introspect = async (world: World): Promise<void> => {
  const { access, tokens, report } = world
  world.asked += 1
  const ended = world.asked % ENDED_EVERY === 0 ? tokens.ended.at(-1) : undefined
  // The oldest that are live: those at the end are the next to be revoked.
  const live = tokens.live[world.asked % Math.ceil(tokens.live.length / 2)]
  const token = ended ?? live
  if (token === undefined) throw new Error('There is no token to introspect.')
  const isActive = isActiveIn(await succeed(world, introspectRequest(access, token)))
  if (ended !== undefined && isActive) report('P1: a token was active after its revocation was acknowledged.')
  // Where answers take seconds, its turn to be revoked may have come meanwhile.
  const isKept = ended === undefined && tokens.live.includes(token)
  if (isKept && !isActive) report('P5: an acknowledged token was inactive.')
}

const CALL: Readonly<Record<Kind, (world: World) => Promise<void>>> = {
  introspect,
  issue: async world => void world.tokens.live.push(tokenIn(await succeed(world, issueRequest(world.access.agent)))),
  revoke: async world => {
    const { access, tokens } = world
    const token = tokens.live.pop()
    if (token === undefined) throw new Error('There is no token to revoke.')
    const by = tokens.ended.length % 2 === 0 ? 'manual_revocation' : 'self_revocation'
    await succeed(world, revokeRequest(access, token, by))
    tokens.ended.push(token)
  },
  list: async world => void (await succeed(world, readRequest(world.access, '/api/v1/tokens?limit=10'))),
}

const STOCK = 60

/** Issues so many live tokens that none which is introspected is about to be revoked. */
export const fillStock = async (access: Access, { live }: HonestTokens): Promise<void> => {
  using exchange = makeExchange(access.port)
  while (live.length < STOCK) {
    const { status, body } = await exchange.ask(issueRequest(access.agent))
    if (status !== 200) throw new Error(`No token was issued while nothing was wrong: ${status} ${body}`)
    live.unshift(tokenIn(body))
  }
}

/** The text of a failure, with the cause that a lost connection has. */
const nameOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault))

const slowestOfHundred = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(0.99 * times.length)] ?? Number.NaN

/** Starts asking; `report` hears of what no answer may be. */
export const startHonestCallers = (
  access: Access,
  tokens: HonestTokens,
  report: (violation: string) => void,
): HonestCallers => {
  const { ask, close } = makeExchange(access.port)
  const world: World = { access, tokens, ask, report, asked: 0 }
  const asked = { introspect: 0, revoke: 0, issue: 0, list: 0 }
  const succeeded = { ...asked }
  const underWay = new Set<Promise<void>>()
  const introspectionTimes: number[] = []
  let firstFailure: string | null = null
  const call = async (kind: Kind): Promise<void> => {
    asked[kind] += 1
    const began = performance.now()
    try {
      await CALL[kind](world)
      succeeded[kind] += 1
    } catch (fault) {
      firstFailure ??= `${kind}: ${nameOf(fault)}`
    }
    if (kind === 'introspect') introspectionTimes.push(performance.now() - began)
  }
  const start = (kind: Kind): void => {
    const calling = call(kind).finally(() => underWay.delete(calling))
    underWay.add(calling)
  }
  const timers = KINDS.map(kind => setInterval(() => start(kind), EVERY_MS[kind]))
  const stop = async (): Promise<HonestCounts> => {
    timers.forEach(clearInterval)
    await Promise.all(underWay)
    close()
    return { asked, succeeded, introspectionMs: slowestOfHundred(introspectionTimes), firstFailure }
  }
  return { stop, [Symbol.asyncDispose]: async () => void (await stop()) }
}

/** How many of the tokens whose end was acknowledged are active all the same. */
export const countRevived = async (access: Access, { ended }: HonestTokens): Promise<number> => {
  using exchange = makeExchange(access.port)
  let revived = 0
  for (const token of ended) {
    const { status, body } = await exchange.ask(introspectRequest(access, token))
    if (status !== 200) throw new Error(`An introspection afterwards: ${status} ${body}`)
    if (isActiveIn(body)) revived += 1
  }
  return revived
}
