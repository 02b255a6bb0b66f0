// The jobs that every store has, as this one runs them.
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import { type JobInput, type JobName, type JobOutput, JOBS, programOf, type Writer } from '../../subjects.ts'
import { endTogether } from '../hot/end-together.ts'
import type { Together } from './run-jobs.ts'
import type { GroupWriter } from './writer.ts'

// Each is paired with the input and the output of its name, which the compiler cannot follow.
const TOGETHER: { readonly [Name in JobName]?: Together<JobInput<Name>, JobOutput<Name>> } = { endToken: endTogether }

const togetherOf = <Name extends JobName>(job: Name, input: JobInput<Name>) => {
  const all = TOGETHER[job] as Together<unknown, JobOutput<Name>> | undefined
  return all === undefined ? {} : { together: { all, input } }
}

export const jobWriter = (
  writer: GroupWriter,
  deadline: (until?: MonotonicMilliseconds) => MonotonicMilliseconds,
): Writer => ({
  call: (job, input, until) =>
    writer.run({
      queue: JOBS[job].isQuiet ? 'quiet' : 'act',
      perform: tx => programOf(JOBS, job, tx, input),
      ...togetherOf(job, input),
      until: deadline(until),
    }),
})
