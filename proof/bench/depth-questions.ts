// What is asked of a full store and of a small one, one request after another, to see whether anything grows.
import type { Answer, Asker } from './connection.ts'
import { median } from './figures.ts'
import type { FilledStore } from '../../testkit/stores/fill-store.ts'
import { introspectRequest, issueRequest, revokeRequest, takeActive, takeRevoked, tokenIn } from './mintmark-loads.ts'
import type { MintmarkServer } from './servers/mintmark-server.ts'
import { type PageRequest, readPageAnswer } from './pages.ts'

/** A store that is served. */
export type Asked = {
  readonly filled: Pick<FilledStore, 'tokens'>
  readonly server: MintmarkServer
  readonly asker: Asker
  readonly pages: readonly PageRequest[]
}

/** What is asked `times` times of a store; `request` is given the number of the turn. */
type Question = {
  readonly name: string
  readonly times: number
  readonly request: (store: Asked, turn: number) => string
  readonly take: (answer: Answer) => unknown
}

const sampleOf = ({ filled }: Asked, turn: number): string => filled.tokens[turn % filled.tokens.length] ?? ''

const operationQuestions = (times: number): readonly Question[] => [
  { name: 'issue', times, request: ({ server }) => issueRequest(server), take: tokenIn },
  {
    name: 'introspect, any live token',
    times,
    request: (store, turn) => introspectRequest(store.server, sampleOf(store, turn)),
    take: takeActive,
  },
  {
    name: 'revoke, any live token',
    times,
    request: (store, turn) => revokeRequest(store.server, sampleOf(store, turn)),
    take: takeRevoked,
  },
]

const pageQuestions = ({ pages }: Asked, times: number): readonly Question[] =>
  pages.map(({ name, depth }, n) => ({
    name: `${name}, ${depth} page`,
    times,
    request: store => store.pages[n]?.request ?? '',
    take: readPageAnswer,
  }))

/** Counts what a request costs beside its time: a number that grows with each. */
type Meter<S extends Asked> = (store: S) => number

type Cost = { readonly ms: number; readonly metered: number }

const timeOne = async <S extends Asked>(
  store: S,
  { request, take }: Question,
  turn: number,
  meter: Meter<S>,
): Promise<Cost> => {
  const text = request(store, turn)
  const before = meter(store)
  const started = performance.now()
  const answer = await store.asker.ask(text)
  const ms = performance.now() - started
  take(answer)
  return { ms, metered: meter(store) - before }
}

/** Medians of both stores. */
export type Compared = { readonly name: string; readonly small: Cost; readonly full: Cost }

const medianCost = (costs: readonly Cost[]): Cost => ({
  ms: median(costs.map(({ ms }) => ms)),
  metered: median(costs.map(({ metered }) => metered)),
})

export const ratioOf = ({ small, full }: Compared): number => full.ms / small.ms

/** How many times slower the full store may be. */
const RATIO_MOST = 1.5

export const ratioVerdict = (compared: readonly Compared[]): string => {
  const slower = compared.filter(one => ratioOf(one) > RATIO_MOST).map(({ name }) => name)
  return `within ${RATIO_MOST} times of the small store: ${slower.length === 0 ? 'reached' : `NOT reached by ${slower.join('; ')}`}`
}

type Stores<S extends Asked> = { readonly small: S; readonly full: S }

/** Asks both stores in turn, one request at a time, so that a neighbor slows both alike. */
const compare = async <S extends Asked>(stores: Stores<S>, question: Question, meter: Meter<S>): Promise<Compared> => {
  const [ofSmall, ofFull]: [Cost[], Cost[]] = [[], []]
  for (let turn = 0; turn < question.times; turn += 1) {
    ofSmall.push(await timeOne(stores.small, question, turn, meter))
    ofFull.push(await timeOne(stores.full, question, turn, meter))
  }
  return { name: question.name, small: medianCost(ofSmall), full: medianCost(ofFull) }
}

/** Every operation `samples` times and every page `pages` times; each is announced before it is asked. */
export const compareAll = async <S extends Asked>(
  stores: Stores<S>,
  { samples, pages }: { readonly samples: number; readonly pages: number },
  reported: (line: string) => void,
  meter: Meter<S> = () => 0,
): Promise<readonly Compared[]> => {
  const compared: Compared[] = []
  for (const question of [...operationQuestions(samples), ...pageQuestions(stores.full, pages)]) {
    reported(question.name)
    compared.push(await compare(stores, question, meter))
  }
  return compared
}
