// Every kind of operation, asked once each, and what its answer may be while the database has a fault.
import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, openConnection } from '../connection.ts'
import {
  type Access,
  administerRequest,
  endAllRequest,
  exchangeRequest,
  followRequest,
  introspectRequest,
  isActiveIn,
  issueRequest,
  readRequest,
  revokeRequest,
  tokenIn,
} from '../requests.ts'

export const OPERATIONS = [
  'issue',
  'introspect',
  'introspect ended',
  'revoke',
  'revoke own',
  'list',
  'history',
  'act',
  'exchange',
  'feed',
  'changes of the feed',
  'agents',
  'ready',
] as const

export type Operation = (typeof OPERATIONS)[number]

/** An answer comes after 4.6 s at most, and the machine may be slow. */
const ANSWER_MS_MAX = 6000
const AGAIN_MS = 20

export type Stock = {
  /** Acknowledged, and nobody asked for their end. */
  readonly live: string[]
  /** The tokens whose end was acknowledged. */
  readonly ended: string[]
}

const exchange = async ({ port }: Access, request: string): Promise<Answer> => {
  const connection = await openConnection(port)
  try {
    return await connection.exchange(request)
  } finally {
    connection.close()
  }
}

/** Takes a token out of the stock, which an end whose outcome is unknown leaves in neither list. */
const revoke = async (access: Access, { live, ended }: Stock, by: 'manual_revocation' | 'self_revocation') => {
  const token = live.pop()
  if (token === undefined) throw new Error('The drill has no token left to revoke.')
  const answer = await exchange(access, revokeRequest(access, token, by))
  if (answer.status === 200) ended.push(token)
  return answer
}

const ASK: Readonly<Record<Operation, (access: Access, stock: Stock) => Promise<Answer>>> = {
  issue: async (access, { live }) => {
    const answer = await exchange(access, issueRequest(access.agent))
    if (answer.status === 200) live.unshift(tokenIn(answer.body))
    return answer
  },
  introspect: async (access, { live }) => {
    const answer = await exchange(access, introspectRequest(access, live[0] ?? ''))
    if (answer.status === 200 && !isActiveIn(answer.body)) throw new Error('P5: an acknowledged token was inactive.')
    return answer
  },
  'introspect ended': async (access, { ended }) => {
    const answer = await exchange(access, introspectRequest(access, ended.at(-1) ?? ''))
    if (answer.status === 200 && isActiveIn(answer.body)) throw new Error('P1: a token was active after its end.')
    return answer
  },
  revoke: (access, stock) => revoke(access, stock, 'manual_revocation'),
  'revoke own': (access, stock) => revoke(access, stock, 'self_revocation'),
  list: access => exchange(access, readRequest(access, '/api/v1/tokens?limit=10')),
  history: access => exchange(access, readRequest(access, '/api/v1/tokens/history?limit=10')),
  act: access => exchange(access, endAllRequest(access, crypto.randomUUID(), { scope: 'drill:nobody' })),
  exchange: async (access, { live }) => {
    const answer = await exchange(access, exchangeRequest(access, live[0] ?? ''))
    if (answer.status === 200 && tokenIn(answer.body) === live[0]) throw new Error('An exchange made no token.')
    return answer
  },
  feed: access => exchange(access, followRequest(access, '')),
  'changes of the feed': async access => {
    const head = await exchange(access, followRequest(access, ''))
    if (head.status !== 200) return head
    const { epoch } = JSON.parse(head.body) as { readonly epoch: string }
    return exchange(access, followRequest(access, `/changes?epoch=${epoch}&position=0`))
  },
  agents: access => exchange(access, administerRequest(access, '/api/v1/agents?limit=10')),
  ready: access => exchange(access, readRequest(access, '/readyz')),
}

const isGood = ({ status }: Answer): boolean => status >= 200 && status < 300

const isOurRefusal = (operation: Operation, { status, body }: Answer): boolean => {
  if (status !== 503) return false
  const members = JSON.parse(body) as Record<string, unknown>
  if (operation === 'ready') return members['status'] === 'unavailable' && typeof members['reason'] === 'string'
  return members['error'] === 'temporarily_unavailable' && typeof members['error_description'] === 'string'
}

export type Asked = { readonly operation: Operation; readonly isGood: boolean; readonly ms: number }

type Report = (violation: string) => void

/** Asks one, and reports where the answer is neither right nor our 503, or came late. */
export const askOne = async (access: Access, stock: Stock, operation: Operation, report: Report): Promise<Asked> => {
  const began = performance.now()
  const asked = (good: boolean): Asked => ({ operation, isGood: good, ms: performance.now() - began })
  try {
    const answer = await ASK[operation](access, stock)
    const done = asked(isGood(answer))
    if (done.ms > ANSWER_MS_MAX) report(`${operation} was answered after ${Math.round(done.ms)} ms.`)
    if (!done.isGood && !isOurRefusal(operation, answer)) report(`${operation}: ${answer.status} ${answer.body}`)
    return done
  } catch (fault) {
    report(`${operation}: ${fault instanceof Error ? fault.message : String(fault)}`)
    return asked(false)
  }
}

/** Asks one over and over until it is answered; after how many ms that was, or undefined where it was given up. */
const untilGood = async (ask: () => Promise<Asked>, msMax: number): Promise<number | undefined> => {
  const began = performance.now()
  while (performance.now() - began < msMax) {
    if ((await ask()).isGood) return performance.now() - began
    await delay(AGAIN_MS)
  }
  return undefined
}

/** The slowest of all operations to answer again, in ms; Infinity where one does not. */
export const untilAllGood = async (access: Access, stock: Stock, report: Report, msMax: number): Promise<number> => {
  const took = await Promise.all(
    OPERATIONS.map(operation => untilGood(() => askOne(access, stock, operation, report), msMax)),
  )
  return Math.max(...took.map(ms => ms ?? Number.POSITIVE_INFINITY))
}
