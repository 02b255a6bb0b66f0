// The followers drill: what many followers of the revocation feed cost issuing and introspection, and how soon they hear of
// an end. docs/development/drills.md says what it measures and what it cannot.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import { endChild } from '../../../../testkit/processes/end-child.ts'
import { freePort } from '../../../../testkit/processes/free-port.ts'
import { makeBound } from '../../../options.ts'
import { untilListening } from '../../cluster/replica.ts'
import { formatCount, performAll, print, readOptions, runOnStores } from '../../drill.ts'
import { environmentOf, prepareAccess, PROGRAM, untilReady, type Variables } from '../../service-under-drill.ts'
import { STORES, type StoreUnderDrill } from '../../stores.ts'
import { startCrowd } from './crowd.ts'
import { startFullRate } from './full-rate.ts'
import { measureRounds, type Stage } from './slices.ts'
import { costsOf, formatRounds, type Round } from './summary.ts'

const options = readOptions({
  store: STORES,
  followers: null,
  ends: null,
  rounds: 5,
  seconds: 5,
  connections: 16,
  workers: 1,
  bound: 10,
})
const isOver = makeBound(options)
const violations: string[] = []
let [slices, ends, heard] = [0, 0, 0]

/** `isBounded`: what they cost is judged, and not only reported. */
type Case = { readonly followers: number; readonly ends: number; readonly isBounded: boolean }

const MANY: Case = { followers: 10_000, ends: 10, isBounded: true }
const FAST: Case = { followers: 1000, ends: 1000, isBounded: false }

const cases = (): readonly Case[] => {
  const { followers, ends: perSecond } = options
  if (followers === null && perSecond === null) return [MANY, FAST]
  return [{ followers: followers ?? MANY.followers, ends: perSecond ?? MANY.ends, isBounded: true }]
}

/** Connections that neither follow nor ask at full rate: those on which tokens end, and are got before that. */
const OTHER_CONNECTIONS = 128
/** Files of the service that are no connections; docs/reference/limits.md. */
const OTHER_FILES = 256

const openFilesMax = (): number => {
  const [, soft = ''] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return Number(soft)
}

/** The service lets followers keep half of its connections. */
const connectionsFor = (followers: number): number => 2 * (followers + 2 * options.connections + OTHER_CONNECTIONS)

/** The followers that this process, and so the service, may have files for. */
const followersThatFit = (wanted: number): number => {
  const missing = connectionsFor(wanted) - (openFilesMax() - OTHER_FILES)
  if (missing <= 0) return wanted
  const fit = wanted - Math.ceil(missing / 2)
  print(`  A process may open ${formatCount(openFilesMax())} files: room for ${formatCount(fit)} followers.`)
  return fit
}

const startService = async (variables: Variables, port: number, started: AsyncDisposableStack): Promise<number> => {
  const child = spawn(process.execPath, [PROGRAM, 'serve'], { env: variables, stdio: ['ignore', 'pipe', 'inherit'] })
  started.defer(() => endChild(child, 'SIGKILL'))
  if ((await untilListening(child)) === 'ended' || child.pid === undefined)
    throw new Error('The service does not start.')
  await untilReady(port)
  return child.pid
}

const makeStage = async (
  store: StoreUnderDrill,
  { home, followers }: { readonly home: string; readonly followers: number },
  started: AsyncDisposableStack,
): Promise<Stage> => {
  const provider = await startIdentityProvider()
  started.defer(() => provider.close())
  const port = await freePort()
  const variables = {
    ...environmentOf(home, port, provider),
    ...(await store.make(print)),
    MINTMARK_WORKERS: String(options.workers),
    MINTMARK_CONNECTIONS_MAX: String(connectionsFor(followers)),
  }
  const access = await prepareAccess(variables, port, provider)
  const pid = await startService(variables, port, started)
  const fullRate = await startFullRate({ access, pid }, options.connections, started)
  return { access, fullRate, crowd: startCrowd(started) }
}

const judge = (name: string, rounds: readonly Round[]): void => {
  const { issue, introspect, cpu } = costsOf(rounds)
  const named = {
    'of the rate of issuing': issue,
    'of the rate of introspection': introspect,
    'in processor time': cpu,
  }
  for (const [what, cost] of Object.entries(named)) {
    if (100 * cost > options.bound) violations.push(`${name} cost ${(100 * cost).toFixed(1)} % ${what}.`)
  }
}

const drill = async (
  store: StoreUnderDrill,
  one: Case & { readonly home: string },
  started: AsyncDisposableStack,
): Promise<void> => {
  const followers = followersThatFit(one.followers)
  const stage = await makeStage(store, { home: one.home, followers }, started)
  const { rounds: count, seconds } = options
  const measured = await measureRounds(stage, { followers, endsPerSecond: one.ends, rounds: count, seconds, isOver })
  await stage.fullRate.stop()
  const name = `${store.name}, ${formatCount(followers)} followers, ${formatCount(one.ends)} ends a second`
  print(name)
  for (const line of formatRounds(measured.rounds)) print(line)
  violations.push(...measured.violations.map(found => `${name}: ${found}`))
  if (one.isBounded) judge(name, measured.rounds)
  slices += 2 * measured.rounds.length
  ends += measured.ends
  heard += measured.heard
}

const load = loadavg()[0]?.toFixed(2) ?? 'unknown'
print(`${availableParallelism()} cores, load ${load} before`)
await runOnStores({
  name: 'Followers',
  options,
  violations,
  perform: async (store, _started, folder) => {
    for (const [index, one] of cases().entries()) {
      if (isOver()) return
      const home = folder.make(`${store.kind}-${index}`)
      await performAll(violations, started => drill(store, { ...one, home }, started))
      // What is released at once is not counted for the next.
      await delay(500)
    }
  },
  summary: () => `${slices} slices, ${formatCount(ends)} ends, heard of ${formatCount(heard)} times`,
})
