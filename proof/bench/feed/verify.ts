// How fast @mintmark/verify is in mode `feed`, on one core: a token that it has seen beside introspection over loopback, and
// one that it has not beside a bare verification by jose. All in one run, by turns, so that the machine treats them alike.
// The service is a reference publisher on a thread of its own, which answers introspection from memory: the real one takes longer.
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { type CryptoKey, importJWK, jwtVerify, type JWK } from 'jose'
import { createVerifier, type Verifier } from '../../../packages/verify/src/index.ts'
import { API_KEY, AUDIENCE, startPublisher } from '../../../testkit/feed/reference-publisher.ts'
import { makeBound, readOptions } from '../../options.ts'
import { median } from '../figures.ts'

const FRESH_PER_ROUND = 1000
/** The calls by turns with jose, so few that other work on the machine slows both alike. */
const FRESH_PER_TURN = 100
const SEEN_PER_ROUND = 100_000
const INTROSPECTED_PER_ROUND = 1000
const CONCURRENT = 16
/** Single ends in the feed. */
const ENDED = 1000

type Served = { readonly issuer: string; readonly jwk: JWK; readonly tokens: readonly string[] }

const options = readOptions({ rounds: 15 })
const isOver = makeBound(options)

const servePublisher = async (): Promise<void> => {
  const publisher = await startPublisher()
  for (let n = 0; n < ENDED; n += 1) publisher.end(publisher.mint())
  publisher.log.segmentLength = ENDED
  const count = (options.rounds + 1) * FRESH_PER_ROUND
  const tokens = Array.from({ length: count }, () => publisher.mint().token)
  const served: Served = { issuer: publisher.issuer, jwk: publisher.key.jwk, tokens }
  parentPort?.postMessage(served)
}

/** The cost of all calls so far. CPU is that of all threads of the process: on a busy machine it says more than the time. */
type Spent = { calls: number; ms: number; cpuUs: number }

type Call = (n: number) => Promise<unknown>

/** Makes the calls, `concurrent` of them at a time. */
const spend = async (spent: Spent, count: number, concurrent: number, call: Call): Promise<void> => {
  let next = 0
  const run = async (): Promise<void> => {
    while (next < count) {
      next += 1
      await call(next - 1)
    }
  }
  const before = process.cpuUsage()
  const start = performance.now()
  await Promise.all(Array.from({ length: concurrent }, run))
  spent.ms += performance.now() - start
  const { user, system } = process.cpuUsage(before)
  spent.cpuUs += user + system
  spent.calls += count
}

const requireGood = (isGood: boolean, what: string): void => {
  if (!isGood) throw new Error(`${what} was refused: nothing is measured.`)
}

type Subject = Served & { readonly verifier: Verifier; readonly key: CryptoKey }

const makeCalls = ({ issuer, tokens, verifier, key }: Subject) => {
  const verify = async (token: string) => {
    const result = await verifier.verify(token)
    requireGood(result.ok && result.by === 'feed', 'A token')
  }
  const [seen = ''] = tokens
  const checks = { issuer, audience: AUDIENCE, typ: 'at+jwt', algorithms: ['ES256'], requiredClaims: ['exp', 'sub'] }
  return {
    fresh: verify,
    bare: (token: string) => jwtVerify(token, key, checks),
    seen: () => verifier.verify(seen),
    introspect: async (): Promise<void> => {
      const headers = { 'x-api-key': API_KEY, 'content-type': 'application/x-www-form-urlencoded' }
      const response = await fetch(`${issuer}/oauth/introspect/v2`, { method: 'POST', headers, body: `token=${seen}` })
      const { active } = (await response.json()) as { readonly active: boolean }
      requireGood(active, 'An introspection')
    },
  }
}

type Round = Readonly<Record<'bare' | 'fresh' | 'seen' | 'introspect', Spent>>

const makeSpent = (): Spent => ({ calls: 0, ms: 0, cpuUs: 0 })

const measureRound = async (tokens: readonly string[], calls: ReturnType<typeof makeCalls>): Promise<Round> => {
  const round = { bare: makeSpent(), fresh: makeSpent(), seen: makeSpent(), introspect: makeSpent() }
  for (let from = 0; from < tokens.length; from += FRESH_PER_TURN) {
    const turn = tokens.slice(from, from + FRESH_PER_TURN)
    const order = (from / FRESH_PER_TURN) % 2 === 0 ? (['fresh', 'bare'] as const) : (['bare', 'fresh'] as const)
    for (const name of order) await spend(round[name], turn.length, CONCURRENT, n => calls[name](turn[n] ?? ''))
  }
  await spend(round.seen, SEEN_PER_ROUND, 1, calls.seen)
  await spend(round.introspect, INTROSPECTED_PER_ROUND, CONCURRENT, calls.introspect)
  return round
}

/** The first round warms up, and is not counted. */
const measure = async (subject: Subject): Promise<readonly Round[]> => {
  const calls = makeCalls(subject)
  const rounds: Round[] = []
  for (let round = 0; round <= options.rounds; round += 1) {
    if (round > 1 && isOver()) break
    const tokens = subject.tokens.slice(round * FRESH_PER_ROUND, (round + 1) * FRESH_PER_ROUND)
    rounds.push(await measureRound(tokens, calls))
  }
  return rounds.slice(1)
}

const rateOf = ({ calls, ms }: Spent): number => (calls * 1000) / ms

const cpuOf = ({ calls, cpuUs }: Spent): number => cpuUs / calls

/** The median of all rounds: what is beside another figure was measured in the same round. */
const over = (rounds: readonly Round[], figure: (round: Round) => number): number => median(rounds.map(figure))

const printLine = (rounds: readonly Round[], what: string, name: keyof Round, beside = ''): void => {
  const rate = `${Math.round(over(rounds, round => rateOf(round[name]))).toLocaleString('en-US')} /s`
  const cpu = over(rounds, round => cpuOf(round[name])).toFixed(1)
  console.log(`${what.padEnd(30)}${rate.padStart(12)}${cpu.padStart(9)} µs of CPU  ${beside}`)
}

const printAll = (rounds: readonly Round[]): void => {
  const times = over(rounds, ({ seen, introspect }) => rateOf(seen) / rateOf(introspect))
  const byRate = 100 * over(rounds, ({ bare, fresh }) => rateOf(fresh) / rateOf(bare))
  const byCpu = 100 * over(rounds, ({ bare, fresh }) => cpuOf(bare) / cpuOf(fresh))
  printLine(rounds, 'introspection over loopback', 'introspect')
  printLine(rounds, 'a token seen before', 'seen', `${times.toFixed(0)} times the rate`)
  printLine(rounds, 'jose.jwtVerify', 'bare')
  const beside = `${byRate.toFixed(1)} % of the rate, ${byCpu.toFixed(1)} % by CPU`
  printLine(rounds, 'a token not seen before', 'fresh', beside)
}

const main = async (): Promise<void> => {
  const worker = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) })
  const served = await new Promise<Served>((resolve, reject) => worker.once('message', resolve).once('error', reject))
  const { issuer, jwk } = served
  const verifier = createVerifier({ issuer, audience: AUDIENCE, apiKey: API_KEY, whenStale: 'refuse' })
  const { isFresh, position } = await verifier.ready()
  requireGood(isFresh && position === ENDED, 'The feed')
  printAll(await measure({ ...served, verifier, key: (await importJWK(jwk, 'ES256')) as CryptoKey }))
  verifier.close()
  await worker.terminate()
}

await (isMainThread ? main() : servePublisher())
