// The feed drill: many verifiers in processes of their own follow the revocation feed while tokens end in every way and
// the way to the service fails. docs/development/drills.md says what it shows and what it cannot.
import { setTimeout as delay } from 'node:timers/promises'
import { startIdentityProvider } from '../../../testkit/identity-providers/identity-provider.ts'
import { freePort } from '../../../testkit/processes/free-port.ts'
import { makeBound } from '../../options.ts'
import { CANNOT_RUN, formatCount, print, readOptions, runOnStores } from '../drill.ts'
import { makeRandom } from '../random.ts'
import type { AgentAccess } from '../requests.ts'
import { makeRollingReplica, type RollingReplica } from '../rolling/rolling-replica.ts'
import { environmentOf, prepareAccess, type Variables } from '../service-under-drill.ts'
import { STORES, type StoreUnderDrill } from '../stores.ts'
import { createAgent, end, issue, type Kind, KINDS, type Service } from './ends.ts'
import { FAULTS, type FaultSchedule, type Killed, lacksFor, openWay, startFaults, stepClocks } from './feed-faults.ts'
import { startVerifyingProcesses, type VerifyingProcesses } from './verifying-processes.ts'
import { judgeSightings, quantile } from './watched-token.ts'

const options = readOptions({
  store: STORES,
  fault: FAULTS,
  verifications: 1_000_000,
  verifiers: 100,
  processes: 4,
  staleness: 1,
  bound: 100,
  warmup: 10,
  workers: 1,
  quiet: 1,
})
const fault = options.fault ?? 'none'
const stalenessMs = options.staleness * 1000
const isOver = makeBound(options)
const random = makeRandom(options.seed)
const violations: string[] = []
/** Ends of one kind one after another, and so many of each kind at the same time. */
const LOOPS_A_KIND = 2
/** How long a token is still verified once no verifier may accept it. */
const LINGER_MS = 500
const SCOPES = 20
const POLL_MS = 500
const latencies: number[] = []
/** The latencies of the first seconds, in which new processes still compile what they run. */
const firstLatencies: number[] = []
const ends = new Map<Kind, number>()
let [verifications, unaware, unknown, faults, polling] = [0, 0, 0, 0, 0]
const loopState = { over: false, failed: false, timedFrom: 0 }
let tokens = 0

type EndingLoop = { readonly kind: Kind; readonly agent: AgentAccess; readonly name: string }

/** Issues a token, has it watched, ends it, and judges what was said of it. */
const endOne = async (
  service: Service,
  processes: VerifyingProcesses,
  { kind, agent, name }: EndingLoop,
): Promise<void> => {
  tokens += 1
  const id = tokens
  const scope = kind === 'scope' ? `db:${name}x${id % SCOPES}` : 'db:read'
  const token = await issue(service, agent, scope)
  await processes.watch(id, token)
  const ended = await end(kind, service, { token, clientId: agent.clientId, scope })
  await delay(stalenessMs + LINGER_MS)
  const judgement = judgeSightings(ended, await processes.report(id), stalenessMs)
  violations.push(...judgement.violations)
  const times = performance.now() < loopState.timedFrom ? firstLatencies : latencies
  for (const latency of judgement.latencies) times.push(latency)
  unaware += judgement.unaware
  ends.set(kind, (ends.get(kind) ?? 0) + 1)
}

const runLoop = async (service: Service, processes: VerifyingProcesses, loop: EndingLoop): Promise<void> => {
  // Not all at once: a fault then meets ends at every moment.
  await delay(random.below(stalenessMs + LINGER_MS))
  while (!loopState.over) await endOne(service, processes, loop)
}

const untilVerified = async (processes: VerifyingProcesses, loops: Promise<unknown>): Promise<void> => {
  // What failed is reported to the one who waits for them.
  loops.catch(() => {
    loopState.failed = true
  })
  for (let at = 0; verifications < options.verifications && !loopState.failed && !isOver(); at += 1) {
    await delay(POLL_MS)
    const counts = await processes.counts()
    // What a stale verifier refuses shows nothing.
    verifications = counts.accepted + counts.ended
    unknown = counts.unknown
    polling = Math.max(polling, counts.polling)
    if (options.quiet === 0 && at % 10 === 0) print(`  ${JSON.stringify(counts)}`)
  }
}

const watchLive = async (service: Service, processes: VerifyingProcesses): Promise<() => Promise<void>> => {
  await processes.watch(0, await issue(service, service.access.agent))
  return async () => {
    const sightings = await processes.report(0)
    const refused = sightings.filter(({ endedAt }) => endedAt !== null).length
    if (refused > 0) violations.push(`${refused} verifiers refused a live token as ended.`)
    const silent = sightings.filter(({ acceptedAt }) => acceptedAt === null).length
    if (silent > 0) violations.push(`${silent} verifiers never accepted a live token, so nothing was tested of them.`)
  }
}

type Stage = {
  readonly service: Service
  readonly loops: readonly EndingLoop[]
  readonly processes: VerifyingProcesses
}

const makeReplicas = async (variables: Variables, ports: readonly number[], started: AsyncDisposableStack) => {
  const replicas = ports.map((port, index) => makeRollingReplica(`feed-${index + 1}`, port, variables))
  for (const replica of replicas) started.defer(replica.kill)
  // Not at once: the first one makes what is missing.
  for (const replica of replicas) await replica.start()
  return replicas
}

const makeLoops = async (variables: Variables): Promise<readonly EndingLoop[]> => {
  const loops: EndingLoop[] = []
  for (const kind of KINDS) {
    for (let n = 0; n < LOOPS_A_KIND; n += 1) {
      loops.push({ kind, name: `${kind}${n}`, agent: await createAgent(variables, `drill, ${kind} ${n}`) })
    }
  }
  return loops
}

const killedOf = ({ kill, start }: RollingReplica, port: number): Killed => ({ port, kill, start })

const setUp = async (
  store: StoreUnderDrill,
  home: string,
  started: AsyncDisposableStack,
): Promise<Stage & { readonly schedule: FaultSchedule }> => {
  const provider = await startIdentityProvider()
  started.defer(() => provider.close())
  const ports = [await freePort(), ...(store.kind === 'postgres' ? [await freePort()] : [])]
  const [port = 0] = ports
  const variables = {
    ...environmentOf(home, port, provider),
    ...(await store.make(print)),
    MINTMARK_WORKERS: String(options.workers),
  }
  const access = await prepareAccess(variables, port, provider)
  const loops = await makeLoops(variables)
  const replicas = await makeReplicas(variables, ports, started)
  const killed = replicas.map((replica, index) => killedOf(replica, ports[index] ?? port))
  const ways = await Promise.all(killed.map(replica => openWay(fault, replica, started)))
  const issuer = `http://127.0.0.1:${port}`
  const settings = Array.from({ length: options.processes }, (_, index) => ({
    issuer,
    apiKey: access.introspectionKey,
    verifiers: Math.ceil(options.verifiers / options.processes),
    port: ways[index % ways.length]?.port ?? port,
    maxStaleness: options.staleness,
  }))
  const processes = await startVerifyingProcesses(settings, started)
  const { fresh } = await processes.counts()
  if (fresh === 0) throw new Error('No verifier follows the feed.')
  const begins = ways.map(({ begin }) => (fault === 'clock' ? stepClocks(begin, processes.stepClock, random) : begin))
  const schedule = startFaults(begins, killed, { fault, stalenessMs, random })
  return { service: { ports, access }, loops, processes, schedule }
}

const drill = async (store: StoreUnderDrill, home: string, started: AsyncDisposableStack) => {
  loopState.over = false
  verifications = 0
  polling = 0
  const { service, loops, processes, schedule } = await setUp(store, home, started)
  loopState.timedFrom = performance.now() + options.warmup * 1000
  const judgeLive = await watchLive(service, processes)
  const running = Promise.all(loops.map(loop => runLoop(service, processes, loop)))
  await untilVerified(processes, running)
  loopState.over = true
  await running
  await schedule.stop()
  faults += schedule.faults()
  await judgeLive()
}

const ms = (value: number): string => `${value.toFixed(1)} ms`

/** Prints the times, and returns the 99th percentile. */
const reportTimes = (what: string, times: number[]): number => {
  const sorted = times.splice(0).toSorted((a, b) => a - b)
  const p99 = quantile(sorted, 0.99)
  if (sorted.length > 0) {
    print(
      `  ${what} ${formatCount(sorted.length)} times: median ${ms(quantile(sorted, 0.5))}, p99 ${ms(p99)}, max ${ms(sorted.at(-1) ?? Number.NaN)}`,
    )
  }
  return p99
}

const report = (name: string): void => {
  const timed = latencies.length
  reportTimes(`${name}, ${fault}, the first ${options.warmup} s:`, firstLatencies)
  const p99 = reportTimes(`${name}, ${fault}: from acknowledgement to refusal`, latencies)
  print(
    `  ${JSON.stringify(Object.fromEntries(ends))}; ${formatCount(unknown)} verifications by stale verifiers; up to ${polling} verifiers followed by long polls at a time`,
  )
  print(`  ${formatCount(unaware)} times a verifier had not heard of an end when it was asked, and accepted nothing`)
  if (ends.size === 0) violations.push('Nothing was ended, so nothing was tested.')
  if (fault !== 'none' && faults === 0) violations.push('Nothing failed, so nothing was tested.')
  if (fault === 'none' && timed === 0) {
    violations.push(`Nothing was ended after the first ${options.warmup} s, so no time was bounded.`)
  }
  if (fault === 'none' && p99 > options.bound) violations.push(`The 99th percentile on ${name} is ${ms(p99)}.`)
}

const lacking = lacksFor(fault)
if (lacking !== undefined) {
  print(`Skipped: ${lacking} is not on this machine.`)
  process.exit(CANNOT_RUN)
}
let all = 0
await runOnStores({
  name: 'Feed',
  options,
  violations,
  perform: async (store, started, folder) => {
    await drill(store, folder.make(store.kind), started)
    report(store.name)
    all += verifications
    ends.clear()
  },
  summary: () => `${formatCount(all)} verifications, ${formatCount(tokens)} ends, ${formatCount(faults)} faults`,
})
// A link that resets a connection which it was ending leaves Node a handle, for which it would wait without end.
process.exit()
