// What has arrived at the writing thread and is not written yet, in two lanes: acts never wait behind a flood of new tokens.
import type { MessagePort } from 'node:worker_threads'
import type { LockRequest, JobMessage, WriterMessage } from './writer-messages.ts'

/** Of each lane so many jobs make a group: beyond it a group gains little, and the last job of it waits for all. */
export const GROUP_JOBS_MAX = 256

type Arrived<Message> = { readonly message: Message; readonly from: MessagePort }

/** Jobs for one transaction, and a hold of the lock whose turn comes after them. */
export type NextWork = { readonly jobs: readonly Arrived<JobMessage>[]; readonly hold: LockRequest | undefined }

export const makeWriterQueue = () => {
  const acts: Arrived<JobMessage>[] = []
  const tokens: Arrived<JobMessage | LockRequest>[] = []

  const takeTokens = (): NextWork => {
    const jobs: Arrived<JobMessage>[] = []
    let hold: LockRequest | undefined
    for (const { message, from } of tokens) {
      if (message.job === 'hold') hold = message
      else jobs.push({ message, from })
      if (hold !== undefined || jobs.length === GROUP_JOBS_MAX) break
    }
    tokens.splice(0, jobs.length + (hold === undefined ? 0 : 1))
    return { jobs, hold }
  }

  return {
    put: ({ message, from }: Arrived<WriterMessage>): void => {
      if (message.job === 'insertTokens' || message.job === 'hold') tokens.push({ message, from })
      else acts.push({ message, from })
    },
    /**
     * Every group has room for both lanes. New tokens are written first: what an act of their group ends or refuses would
     * have to be decided again.
     */
    take: (): NextWork => {
      const { jobs, hold } = takeTokens()
      return { jobs: [...jobs, ...acts.splice(0, GROUP_JOBS_MAX)], hold }
    },
    isEmpty: (): boolean => acts.length === 0 && tokens.length === 0,
  }
}
