// The jobs that every store has, as this one runs them.
import type { MonotonicMilliseconds } from '../../domain/time.ts'
import { type JobName, JOBS, scriptOf, type Writer } from '../jobs.ts'
import type { GroupWriter, Lane } from './writer.ts'

// They refuse nothing and end nothing but what they name: no token that is being written can be theirs.
const QUIET: ReadonlySet<JobName> = new Set<JobName>([
  'endToken',
  'useAssertion',
  'noteApiKeyUses',
  'countRefusals',
  'convertSecret',
])

const laneOf = (job: JobName): Lane => (QUIET.has(job) ? 'quiet' : 'act')

export const jobWriter = (
  writer: GroupWriter,
  deadline: (until?: MonotonicMilliseconds) => MonotonicMilliseconds,
): Writer => ({
  call: (job, input, until) =>
    writer.run({ lane: laneOf(job), perform: tx => scriptOf(JOBS, job, tx, input), until: deadline(until) }),
})
