// Makes a family of tokens on a real service, ends some of it and then its root, and kills the service while the rest follows.
// The drill does so with many tokens on both stores; a test with a few.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../../testkit/processes/free-port.ts'
import { scanList } from '../crash/check-store.ts'
import type { DrillFolder } from '../cluster/drill-folder.ts'
import { formatCount } from '../drill.ts'
import { askEach } from '../revocation/end-all-tokens.ts'
import type { Random } from '../random.ts'
import { exchangeRequest, issueRequest, revokeRequest, tokenIn } from '../requests.ts'
import type { StoreUnderDrill } from '../stores.ts'
import { makeWorld, type Service, type World } from '../strangers/world.ts'
import { type Counts, growOn, watchOn } from './callers.ts'
import { addMember, type Family, judgeHistory, makeFamily, type Member } from './family.ts'

/** Tokens that live on beside. */
const LIVING = 200
/** Tokens that end of their own before a whole branch does, and then the root. */
const ENDED_ALONE = 5
const BRANCH_SHARE = 1 / 6
const PARENT_SHARE = 1 / 4
const WATCHERS = 4
const ALIVE_MS_LEAST = 20
const ALIVE_MS_MOST = 700
const POLL_MS = 50
const FOLLOW_MS_MAX = 600_000

type Options = {
  readonly tokens: number
  readonly kills: number
  readonly callers: number
  readonly workers: number
  readonly folder: DrillFolder
  readonly random: Random
  readonly violations: string[]
  readonly print: (line: string) => void
  /** Whether no other kill is to come. */
  readonly isOver: () => boolean
}

type Drill = Options & { readonly world: World; readonly metricsPort: number; readonly counts: Counts }

const getOne = async ({ access }: World, request: string): Promise<string> => {
  const [body = ''] = await askEach(access.port, [request])
  return tokenIn(body)
}

const startFamily = async (world: World): Promise<Family> =>
  makeFamily(await getOne(world, issueRequest(world.access.agent)))

/** A branch from the root, below which many others are got. */
const startBranch = async (world: World, family: Family, random: Random): Promise<Member> => {
  const body = await getOne(world, exchangeRequest(world.access, family.root.text ?? ''))
  const branch = addMember(family, body, family.root, random)
  branch.text = body
  return branch
}

/** Ends a token; the ends of a family are numbered. */
const end = async (world: World, member: Member, n: number): Promise<void> => {
  member.endedAs = n
  await askEach(world.access.port, [revokeRequest(world.access, member.text ?? '', 'manual_revocation')])
}

const INACTIVE = 'is not an active access token'

/** Makes a family, and ends it while more tokens are got for its members. */
const makeAndEnd = async ({ world, tokens, callers, random, violations }: Drill): Promise<Family> => {
  const { access } = world
  const family = await startFamily(world)
  const branch = await startBranch(world, family, random)
  let isOver = false
  const choose = (): Member => {
    if (random.chance(BRANCH_SHARE)) return branch
    return family.parents.length > 0 && random.chance(PARENT_SHARE) ? random.pick(family.parents) : family.root
  }
  const goesOn = (): boolean => !isOver
  const growing = Array.from({ length: callers }, () => growOn({ access, family, random, goesOn, choose }))
  while (family.members.length < tokens) await delay(POLL_MS)
  isOver = true
  await Promise.all(growing)
  isOver = false
  const direct = family.parents.filter(({ parent }) => parent === family.root).slice(0, ENDED_ALONE)
  for (const [n, member] of direct.entries()) await end(world, member, n)
  const late = Array.from({ length: callers }, () => growOn({ access, family, random, goesOn, choose }))
  await end(world, branch, ENDED_ALONE)
  await end(world, family.root, ENDED_ALONE + 1)
  isOver = true
  for (const refused of (await Promise.all(late)).flat()) {
    if (!refused.includes(INACTIVE)) violations.push(`An exchange was refused otherwise than for its token: ${refused}`)
  }
  return family
}

const WAITING = /^mintmark_cascades_waiting (\d+)$/m
const AS_OF = /^mintmark_facts_timestamp_seconds ([\d.e+]+)$/m

/** How many ended tokens had descendants that were yet to follow, after a time in ms: the service looks every 15 s, and as it starts. */
const countWaiting = async ({ metricsPort }: Drill, since: number): Promise<number> => {
  for (;;) {
    const request = get({ host: '127.0.0.1', port: metricsPort, path: '/metrics' })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const metrics = await text(response)
    if (1000 * Number(AS_OF.exec(metrics)?.[1] ?? 0) >= since) return Number(WAITING.exec(metrics)?.[1])
    await delay(POLL_MS)
  }
}

const checkLists = async ({ world, violations }: Drill, ended: Family, living: Family): Promise<void> => {
  const { access } = world
  const byRoot = `&root_id=${ended.root.id}`
  const live = await scanList(access, '/api/v1/tokens', violations)
  for (const { id } of ended.members) if (live.has(id)) violations.push(`Token ${id} is in the list of live tokens.`)
  for (const { id, expiresAt } of living.members) {
    if (!live.has(id) && Date.now() < 1000 * expiresAt) violations.push(`P5: token ${id} is not among the live ones.`)
  }
  violations.push(...judgeHistory(ended, await scanList(access, '/api/v1/tokens/history', violations, byRoot)))
}

/** Kills the service again and again while records follow; how often some had yet to follow afterwards. */
const killMeanwhile = async (drill: Drill, first: Service, check: () => Promise<void>): Promise<number> => {
  const { world, random, kills, isOver } = drill
  let service = first
  let done = 0
  for (let killed = 0; killed < kills && !isOver(); killed += 1) {
    await delay(random.between(ALIVE_MS_LEAST, ALIVE_MS_MOST))
    await service.kill()
    const since = Date.now()
    service = await world.start()
    if ((await countWaiting(drill, since)) === 0) return killed
    // Once, and last: while a long history is read all may follow.
    if (killed === kills - 1) await check()
    done = killed + 1
  }
  return done
}

const untilFollowed = async (drill: Drill): Promise<void> => {
  const until = Date.now() + FOLLOW_MS_MAX
  while ((await countWaiting(drill, Date.now())) > 0) {
    if (Date.now() > until) throw new Error('Descendants have not followed in ten minutes.')
  }
}

/** Asks about both families until it is stopped. */
const startWatching = ({ world, random, violations, counts }: Drill, ended: Family, living: Family) => {
  let isStopped = false
  const watching = { access: world.access, ended, living, random, violations, counts, isStopped: () => isStopped }
  const watchers = Array.from({ length: WATCHERS }, () => watchOn(watching))
  return async (): Promise<void> => {
    isStopped = true
    await Promise.all(watchers)
  }
}

const perform = async (drill: Drill): Promise<number> => {
  const { world, random, violations, counts, print } = drill
  const service = await world.start()
  const living = await startFamily(world)
  while (living.members.length < LIVING) {
    const parent = living.parents.length > 0 && random.chance(PARENT_SHARE) ? random.pick(living.parents) : living.root
    const body = await getOne(world, exchangeRequest(world.access, parent.text ?? ''))
    addMember(living, body, parent, random)
  }
  const ended = await makeAndEnd(drill)
  print(
    `  ${world.name}: ${formatCount(ended.members.length - 1)} descendants, ${ended.parents.length} of them parents`,
  )
  const check = (): Promise<void> => checkLists(drill, ended, living)
  const stop = startWatching(drill, ended, living)
  let kills = 0
  try {
    kills = await killMeanwhile(drill, service, check)
  } finally {
    await stop()
  }
  if (kills < Math.min(drill.kills, 2) && !drill.isOver())
    violations.push(`All had followed after ${kills} kills: use more --tokens.`)
  await untilFollowed(drill)
  await check()
  print(`  ${world.name}: ${kills} kills, ${JSON.stringify(counts)}`)
  return kills
}

/** What was done on one store. */
export type Ended = { readonly tokens: number; readonly kills: number; readonly introspections: number }

export const endFamily = async (
  store: StoreUnderDrill,
  options: Options,
  started: AsyncDisposableStack,
): Promise<Ended> => {
  const metricsPort = await freePort()
  const variables = { MINTMARK_METRICS_ADDRESS: `127.0.0.1:${metricsPort}` }
  const world = await makeWorld(store, { ...options, variables }, started)
  const counts: Counts = { introspections: 0, exchanges: 0, revocations: 0, unanswered: 0 }
  const kills = await perform({ ...options, world, metricsPort, counts })
  return { tokens: options.tokens, kills, introspections: counts.introspections }
}
