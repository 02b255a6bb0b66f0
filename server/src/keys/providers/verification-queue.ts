// The queue in front of signatures that must be verified before their sender is known: bounded, and fair by where they come
// from, so that a flood of forged JWTs costs a part of a core and keeps nobody else out.
import { Overloaded } from '../../domain/refusal.ts'
import { networkOf } from '../../domain/source.ts'
import { makePermitQueue } from '../../ports/permit-queue.ts'
import { UNMEASURED } from '../../ports/work-waits.ts'

/** Signatures of one thread that are verified at once, on libuv's threads; the loop starts the next ones between other work. */
const UNDER_WAY_MAX = 2
/** Signatures that wait, of all networks together. */
const WAITING_MAX = 256

const BOUNDS = { atOnceMax: UNDER_WAY_MAX, waitingMax: WAITING_MAX }

/** `source` is the address that the signature came from. Throws Overloaded where more wait than are taken. */
export type VerificationQueue = (source: string, verify: () => Promise<boolean>) => Promise<boolean>

export const makeVerificationQueue = (bounds = BOUNDS, waits = UNMEASURED): VerificationQueue => {
  const queue = makePermitQueue(bounds, waits)
  return (source, verify) =>
    new Promise((resolve, reject) => {
      queue.enter(networkOf(source), {
        begin: release => void verify().then(resolve, reject).finally(release),
        refuse: () =>
          reject(new Overloaded('More signatures wait to be verified than are taken.', { limit: 'signatures' })),
      })
    })
}
