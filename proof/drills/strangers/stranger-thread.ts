// The thread of the strangers: one stage of the drill, apart from the callers that measure it.
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { makeRandom } from '../random.ts'
import { STAGES } from './stages.ts'
import type { Attack, Tally } from './stranger.ts'

export type AttackOptions = Pick<Attack, 'access' | 'adminJwt' | 'cursors' | 'importedClientId' | 'token'> & {
  readonly stage: string
  readonly seed: number
  readonly seconds: number
}

/** Answers that were waited for when time was up are not waited for any longer. */
const GRACE_MS = 500

const { stage, seed, seconds, ...known } = workerData as AttackOptions
const until = performance.now() + 1000 * seconds
const tally: Tally = { connections: 0, statuses: new Map() }
const attack: Attack = { ...known, random: makeRandom(seed), isOver: () => performance.now() > until, tally }

const strangers = STAGES[stage]
if (strangers === undefined) throw new Error(`There is no stage ${stage}.`)
await Promise.race([strangers(attack), delay(1000 * seconds + GRACE_MS)])
parentPort?.postMessage(tally)
