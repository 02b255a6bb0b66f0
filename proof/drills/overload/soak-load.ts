// The load of the soak drill: so many requests a second of each kind, on connections that are kept.
import { type Access, type AgentAccess, introspectRequest, isActiveIn, issueRequest } from '../requests.ts'
import { readRequest, revokeRequest, tokenIn } from '../requests.ts'
import { type Connections, keepConnections } from './connections.ts'
import { type Pacing, startPace } from './pace.ts'

export type SoakOptions = {
  readonly access: Access
  /** An agent that is disabled, enabled and revoked from again and again. */
  readonly churned: AgentAccess
  readonly ratePerSecond: number
}

export const SOAK_KINDS = ['introspect', 'issue', 'churn', 'revoke', 'list'] as const

export type SoakKind = (typeof SOAK_KINDS)[number]

/** The counts since the last report. */
export type SoakCounts = {
  readonly asked: number
  readonly failed: number
  readonly firstFailure: string | null
  readonly introspectionMs: readonly number[]
  readonly issueMs: readonly number[]
  /** Answers that none may be. */
  readonly wrong: readonly string[]
}

const SHARES: Readonly<Record<SoakKind, number>> = {
  introspect: 0.6,
  issue: 0.17,
  churn: 0.05,
  revoke: 0.15,
  list: 0.03,
}
const CONNECTIONS = 32
const TOKENS_MAX = 2000
/** The newest are revoked, and the oldest introspected. */
const INTROSPECTED = 500
const ENDED_EVERY = 5
const APART_MS = 3

type Load = {
  readonly options: SoakOptions
  readonly connections: Connections
  readonly live: string[]
  readonly ended: string[]
  asked: number
  counts: {
    asked: number
    failed: number
    firstFailure: string | null
    introspectionMs: number[]
    issueMs: number[]
    wrong: string[]
  }
}

const noCounts = () => ({
  asked: 0,
  failed: 0,
  firstFailure: null as string | null,
  introspectionMs: [] as number[],
  issueMs: [] as number[],
  wrong: [] as string[],
})

const EXPECTED: Readonly<Record<SoakKind, readonly number[]>> = {
  introspect: [200],
  issue: [200],
  // It may be disabled just now.
  churn: [200, 401],
  revoke: [200],
  list: [200],
}

/** The body; undefined where the answer is not one of those expected. */
const ask = async (load: Load, kind: SoakKind, request: string): Promise<string | undefined> => {
  const { answer } = await load.connections.exchange(request)
  if (answer !== null && EXPECTED[kind].includes(answer.status)) return answer.body
  load.counts.failed += 1
  load.counts.firstFailure ??= `${kind}: ${answer === null ? 'no answer' : `${answer.status} ${answer.body.slice(0, 100)}`}`
  return undefined
}

const introspect = async (load: Load): Promise<void> => {
  const { options, live, ended, counts } = load
  load.asked += 1
  const gone = load.asked % ENDED_EVERY === 0 ? ended.at(-1) : undefined
  const token = gone ?? live[load.asked % Math.min(INTROSPECTED, Math.max(1, live.length))]
  if (token === undefined) return
  const body = await ask(load, 'introspect', introspectRequest(options.access, token))
  if (body === undefined) return
  const isActive = isActiveIn(body)
  if (gone !== undefined && isActive) counts.wrong.push('P1: a token was active after its revocation was acknowledged.')
  // Where answers take long, its turn to be revoked may have come meanwhile.
  if (gone === undefined && !isActive && live.includes(token)) counts.wrong.push('P5: a live token was inactive.')
}

const keepAtMost = (tokens: string[], most: number): void => void tokens.splice(0, Math.max(0, tokens.length - most))

const CALLS: Readonly<Record<SoakKind, (load: Load) => Promise<void>>> = {
  introspect,
  issue: async load => {
    const body = await ask(load, 'issue', issueRequest(load.options.access.agent))
    if (body === undefined) return
    if (load.live.length < TOKENS_MAX) load.live.push(tokenIn(body))
  },
  churn: async load => void (await ask(load, 'churn', issueRequest(load.options.churned))),
  revoke: async load => {
    const token = load.live.length > INTROSPECTED ? load.live.pop() : undefined
    if (token === undefined) return
    const by = load.asked % 2 === 0 ? 'manual_revocation' : 'self_revocation'
    if ((await ask(load, 'revoke', revokeRequest(load.options.access, token, by))) === undefined) return
    load.ended.push(token)
    keepAtMost(load.ended, TOKENS_MAX)
  },
  list: async load => void (await ask(load, 'list', readRequest(load.options.access, '/api/v1/tokens?limit=10'))),
}

const call = async (load: Load, kind: SoakKind, due: number): Promise<void> => {
  const { counts } = load
  counts.asked += 1
  await CALLS[kind](load)
  const elapsed = performance.now() - due
  if (kind === 'introspect') counts.introspectionMs.push(elapsed)
  if (kind === 'issue') counts.issueMs.push(elapsed)
}

export type RunningLoad = {
  /** What happened since it was last asked. */
  readonly report: () => SoakCounts
  readonly stop: () => Promise<void>
}

export const startSoakLoad = (options: SoakOptions): RunningLoad => {
  const connections = keepConnections(options.access.port, CONNECTIONS)
  const load: Load = { options, connections, live: [], ended: [], asked: 0, counts: noCounts() }
  const pacings: readonly Pacing[] = SOAK_KINDS.map((kind, n) =>
    startPace(SHARES[kind] * options.ratePerSecond, n * APART_MS, due => call(load, kind, due)),
  )
  return {
    report: () => {
      const { counts } = load
      load.counts = noCounts()
      return counts
    },
    stop: async () => void (await Promise.all(pacings.map(({ stop }) => stop()))),
  }
}
