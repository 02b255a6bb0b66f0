// Faults of the replicas themselves: they stop, die, and their clocks step.
import { type Fault, holdMs, type World } from './faults.ts'

const RESTART_MS_MOST = 2000
// Within what an operator's JWT may be off, backwards; forwards within its life.
const STEP_BACK_MS_MOST = 45_000
const STEP_AHEAD_MS_MOST = 10_800_000

const pause = async ({ replicas, random, hold }: World): Promise<string> => {
  const [replica, ms] = [random.pick(replicas), holdMs(random)]
  replica.signal('SIGSTOP')
  await hold(ms)
  replica.signal('SIGCONT')
  return `${replica.name} paused for ${ms} ms`
}

const kill = async ({ replicas, random, hold }: World): Promise<string> => {
  const replica = random.pick(replicas)
  await replica.kill()
  await hold(random.below(RESTART_MS_MOST))
  await replica.start()
  return `${replica.name} killed and started`
}

const stepClock = async ({ replicas, random, hold }: World): Promise<string> => {
  const [replica, ms] = [random.pick(replicas), holdMs(random)]
  const offMs = random.between(-STEP_BACK_MS_MOST, random.pick([STEP_BACK_MS_MOST, STEP_AHEAD_MS_MOST]))
  replica.stepClock(offMs)
  await hold(ms)
  replica.stepClock(0)
  return `${replica.name}: clock ${offMs} ms off for ${ms} ms`
}

export const REPLICA_FAULTS: readonly Fault[] = [
  { name: 'replica paused', weight: 5, strike: pause },
  { name: 'replica killed', weight: 2, strike: kill },
  { name: 'clock stepped', weight: 3, strike: stepClock },
]
