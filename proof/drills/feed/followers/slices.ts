// The slices of the followers drill: by turns with followers and without, in one run, so that the machine treats them alike.
import { setTimeout as delay } from 'node:timers/promises'
import { openConnection } from '../../connection.ts'
import type { Access } from '../../requests.ts'
import type { Crowd } from './crowd.ts'
import { type Ending, startEnding } from './ending.ts'
import type { Counts, Noted } from './following-process.ts'
import type { FullRate } from './full-rate.ts'
import type { Round, Slice } from './summary.ts'

export type Stage = { readonly access: Access; readonly fullRate: FullRate; readonly crowd: Crowd }

type Plan = {
  readonly followers: number
  readonly endsPerSecond: number
  readonly rounds: number
  /** Whether no other round is to begin. */
  readonly isOver: () => boolean
  readonly seconds: number
}

type Measured = {
  readonly rounds: readonly Round[]
  readonly violations: readonly string[]
  readonly ends: number
  /** How often a follower that notes them heard of an end. */
  readonly heard: number
}

/** Followers that note when they hear of each end. */
const NOTING = 20
/** The wait after followers have come or gone, and tokens begin to end. */
const SETTLE_MS = 1000
/** The time after the last end in which every follower must have heard of all. */
const HEAR_MS_MAX = 60_000
const POLL_MS = 100

const now = (): number => Number(process.hrtime.bigint()) / 1e6

type Head = { readonly epoch: string; readonly position: number }

const readHead = async ({ port, introspectionKey }: Access): Promise<Head> => {
  const connection = await openConnection(port)
  const head = ['GET /oauth/revocation-feed HTTP/1.1', 'Host: 127.0.0.1', `X-API-Key: ${introspectionKey}`]
  const { status, body } = await connection.exchange(`${head.join('\r\n')}\r\n\r\n`)
  connection.close()
  if (status !== 200) throw new Error(`The head of the feed was answered ${status}: ${body.slice(0, 300)}`)
  return JSON.parse(body) as Head
}

const openCrowd = async ({ access, crowd }: Stage, followers: number): Promise<void> => {
  const { epoch, position } = await readHead(access)
  const settings = { port: access.port, apiKey: access.introspectionKey, epoch, position, followers, noting: NOTING }
  const { open, lost, firstLoss } = await crowd.open(settings)
  if (open < followers || lost > 0) throw new Error(`Only ${open} followers were let in: ${firstLoss ?? 'no answer'}`)
}

/** Waits until every follower knows of a position that all ends had; what is wrong if that does not come. */
const untilAllHeard = async ({
  access,
  crowd,
}: Stage): Promise<{ readonly noted: Noted[]; readonly wrong: string[] }> => {
  const { position } = await readHead(access)
  const noted: Noted[] = []
  const until = now() + HEAR_MS_MAX
  for (;;) {
    const counts = await crowd.counts()
    noted.push(...counts.noted)
    if (counts.lost > 0) return { noted, wrong: [`${counts.lost} streams ended: ${counts.firstLoss}`] }
    if (counts.position >= position) return { noted, wrong: [] }
    if (now() > until) return { noted, wrong: [`A follower is at ${counts.position}, and the feed at ${position}.`] }
    await delay(POLL_MS)
  }
}

const latenciesOf = ({ acknowledged }: Ending, noted: readonly Noted[]): readonly number[] =>
  noted.flatMap(({ tail, at }) => {
    const acknowledgedAt = acknowledged.get(tail)
    return acknowledgedAt === undefined ? [] : [Math.max(0, at - acknowledgedAt)]
  })

/** Each of the followers that note ends must have heard of each. */
const judgeHeard = (heard: number, { acknowledged }: Ending, followers: number): readonly string[] => {
  const expected = acknowledged.size * Math.min(NOTING, followers)
  return heard === expected ? [] : [`Followers heard ${heard} times of ends, and should have ${expected} times.`]
}

const figuresOf = (before: Counts, after: Counts, seconds: number) => ({
  followersBusy: (after.processorSeconds - before.processorSeconds) / seconds,
  bytesPerSecond: (after.bytes - before.bytes) / seconds,
})

type Done = { readonly slice: Slice; readonly wrong: readonly string[] }

const measureSlice = async (stage: Stage, { followers, endsPerSecond, seconds }: Plan): Promise<Done> => {
  const { access, fullRate, crowd } = stage
  const tokens = await fullRate.issue(Math.ceil(endsPerSecond * (seconds + SETTLE_MS / 1000)))
  await crowd.counts()
  const ending = await startEnding({ access, tokens, ratePerSecond: endsPerSecond })
  await delay(SETTLE_MS)
  const [before, endedBefore] = [await crowd.counts(), ending.acknowledged.size]
  const rates = await fullRate.measure(seconds * 1000)
  const ends = (ending.acknowledged.size - endedBefore) / seconds
  const after = await crowd.counts()
  await ending.stop()
  const { noted, wrong } = followers === 0 ? { noted: [], wrong: [] } : await untilAllHeard(stage)
  const latencies = latenciesOf(ending, [...before.noted, ...after.noted, ...noted])
  const missed = followers === 0 ? [] : judgeHeard(latencies.length, ending, followers)
  const slice = { ...rates, ends, latencies, ...figuresOf(before, after, seconds) }
  return { slice, wrong: [...wrong, ...missed] }
}

/** One round after another; every other one begins with the slice without followers. */
export const measureRounds = async (stage: Stage, plan: Plan): Promise<Measured> => {
  const rounds: Round[] = []
  const violations: string[] = []
  let ends = 0

  const measure = async (followers: number): Promise<Slice> => {
    if (followers > 0) await openCrowd(stage, followers)
    const { slice, wrong } = await measureSlice(stage, { ...plan, followers })
    await stage.crowd.close()
    violations.push(...wrong)
    ends += Math.round(slice.ends * plan.seconds)
    return slice
  }

  // A slice that is not counted: the program is compiled, and the kernel's tables grow, meanwhile.
  await measure(0)
  for (let round = 0; round < plan.rounds && (round === 0 || !plan.isOver()); round += 1) {
    if (round % 2 === 0) {
      const without = await measure(0)
      rounds.push({ without, beside: await measure(plan.followers) })
    } else {
      const beside = await measure(plan.followers)
      rounds.push({ without: await measure(0), beside })
    }
  }
  const heard = rounds.reduce((sum, { beside }) => sum + beside.latencies.length, 0)
  return { rounds, violations, ends, heard }
}
