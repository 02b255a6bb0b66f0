// The revocation drill: a million live tokens of one agent are ended at once under other traffic, and the service is
// killed while their records follow. docs/development/drills.md says what it shows and what it cannot.
import { randomUUID } from 'node:crypto'
import { makeBound } from '../../options.ts'
import { formatCount, print, readOptions, runOnService } from '../drill.ts'
import {
  askEach,
  countActive,
  countRecords,
  endAllTokens,
  fillAgent,
  follow,
  restart,
  untilClosed,
  untilMoved,
} from './end-all-tokens.ts'
import { makeRandom } from '../random.ts'
import { type Access, revokeRequest } from '../requests.ts'
import { type Running, type ServiceUnderDrill, untilReady } from '../service-under-drill.ts'
import { startTraffic } from '../traffic.ts'

const SAMPLES = 2000
const SINGLE_REVOKES = 10
const RATE_KEPT_LEAST = 0.8
const WARM_SECONDS = 10

const options = readOptions({ tokens: 1_000_000, callers: 16, seconds: 10, kills: 3, workers: null })
const isOver = makeBound(options)
const random = makeRandom(options.seed)
const violations: string[] = []
const id = randomUUID()
let kills = 0
const measured: string[] = []

const say = (line: string): void => {
  measured.push(line)
  print(`  ${line}`)
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const ms = (time: number): string => `${time.toFixed(1)} ms`

const requireInactive = async (access: Access, samples: readonly string[], when: string): Promise<void> => {
  const active = await countActive(access, samples)
  if (active > 0) violations.push(`${active} of ${samples.length} tokens were active ${when}.`)
}

/** Ten tokens one by one, then all at once: both under the same traffic. */
const endAll = async (access: Access, samples: readonly string[]): Promise<void> => {
  const singles = samples.slice(0, SINGLE_REVOKES).map(token => revokeRequest(access, token, 'manual_revocation'))
  const ten = await timed(() => askEach(access.port, singles))
  const all = await timed(() => endAllTokens(access, id))
  await requireInactive(access, samples, 'after the answer')
  say(`${formatCount(options.tokens)} tokens ended in ${ms(all)}, ten single ones in ${ms(ten)}`)
  if (all > ten) violations.push('Ending all tokens took longer than ending ten.')
}

/** The rate of other traffic before, and while the records follow. */
const endUnderTraffic = async (access: Access, samples: readonly string[]): Promise<void> => {
  const traffic = startTraffic(access, options.callers)
  await traffic.rate(WARM_SECONDS)
  const before = await traffic.rate(options.seconds)
  await endAll(access, samples)
  const during = await traffic.rate(options.seconds)
  const { state, tokens_moved } = await follow(access, id)
  await traffic.stop()
  const kept = during / before
  say(
    `other traffic: ${before.toFixed(0)} requests a second before, ${during.toFixed(0)} meanwhile (${kept.toFixed(2)})`,
  )
  say(`${formatCount(tokens_moved)} records had followed by then`)
  if (state === 'closed') violations.push('All records had followed before the rate was measured: use more --tokens.')
  if (kept < RATE_KEPT_LEAST) violations.push(`Other traffic kept ${kept.toFixed(2)} of its rate.`)
}

const killMeanwhile = async (service: ServiceUnderDrill, first: Running, samples: readonly string[]) => {
  const { access } = service
  let running = first
  for (let moved = 0; kills < options.kills && !isOver(); ) {
    const followed = await untilMoved(access, id, moved + random.below(Math.ceil(options.tokens / 10)))
    if (followed.state === 'closed') break
    running = await restart(service, running)
    kills += 1
    moved = (await follow(access, id)).tokens_moved
    if (moved < followed.tokens_moved) violations.push(`${followed.tokens_moved} had followed, then only ${moved}.`)
    await requireInactive(access, samples, 'after a kill')
  }
  if (kills === 0) violations.push('All records had followed before the first kill: use more --tokens.')
  return running
}

const drill = async (service: ServiceUnderDrill): Promise<void> => {
  const { access } = service
  const samples = fillAgent(service, options.tokens, SAMPLES)
  const first = await service.start()
  if (first === undefined) throw new Error('The service was killed by somebody else.')
  await untilReady(access.port)
  await endUnderTraffic(access, samples)
  const running = await killMeanwhile(service, first, samples)
  let moved = 0
  const rest = await timed(async () => {
    moved = (await untilClosed(access, id)).tokens_moved
  })
  say(`after ${kills} kills the rest followed in ${(rest / 1000).toFixed(1)} s`)
  await requireInactive(access, samples, 'in the end')
  await running.kill()
  const records = countRecords(service, id)
  const expected = { live: 0, byRevocation: options.tokens - SINGLE_REVOKES, byHand: SINGLE_REVOKES }
  const found = JSON.stringify(records)
  if (found !== JSON.stringify(expected)) violations.push(`The store holds ${found}, not ${JSON.stringify(expected)}.`)
  if (moved !== records.byRevocation) violations.push(`It counted ${moved} tokens.`)
}

const summary = (): string => `${formatCount(options.tokens)} tokens ended at once, ${kills} kills`

await runOnService({ name: 'Revocation', options, perform: drill, violations, summary })
