// Verifies secrets against other servers' hashes, one at a time on a thread of its own, in the order of a fair queue.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { Unavailable } from '../../domain/refusal.ts'
import { networkOf } from '../../domain/source.ts'
import type { ImportedSecrets, Proof } from '../../ports/imports.ts'
import { UNMEASURED, type WorkWaits } from '../../ports/work-waits.ts'
import type { ProofMessage, ProofReply } from './foreign-hash-thread.ts'
import { makeForeignHashQueue, type RestTiming, type Verification } from './foreign-hash-queue.ts'

type Verified = Awaited<ReturnType<ImportedSecrets['verify']>>

/** Requests that may wait for the verification of one secret: an agent that begins with many at once needs one. */
const WAITERS_MAX = 64

/** Which of the secrets the hash is of; -1 for none. */
export type Verify = (message: ProofMessage) => Promise<ProofReply>

const startThread = (onExit: () => void): Worker => {
  const url = new URL(`./foreign-hash-thread${import.meta.url.slice(-3)}`, import.meta.url)
  const thread = new Worker(url, { name: 'mintmark foreign hashes' })
  thread.unref()
  // A fault is reported to the caller who waits, if one does.
  thread.on('error', () => undefined)
  thread.once('exit', onExit)
  return thread
}

const askThread = async (thread: Worker, message: ProofMessage): Promise<ProofReply> => {
  const heard = new AbortController()
  // A caller waits: the process must not end under it.
  thread.ref()
  try {
    const { signal } = heard
    const reply = once(thread, 'message', { signal }) as Promise<[ProofReply]>
    const ended = once(thread, 'exit', { signal }).then(() =>
      Promise.reject(new Error('The thread that proves secrets ended.')),
    )
    thread.postMessage(message)
    const [which] = await Promise.race([reply, ended])
    return which
  } finally {
    heard.abort()
    thread.unref()
  }
}

/** The thread starts with the first message. */
const makeThreadVerify = (): Verify => {
  let thread: Worker | undefined
  return message => {
    thread ??= startThread(() => {
      thread = undefined
    })
    return askThread(thread, message)
  }
}

type Options = {
  readonly timing: RestTiming
  /** Verifies on a thread of its own by default. */
  readonly verify?: Verify
  readonly now?: () => number
  /** What is being verified counts as waiting. */
  readonly waits?: WorkWaits
}

/** One secret, and all who wait for its verification. */
type Waiting = Verification & {
  readonly key: string
  readonly message: ProofMessage
  readonly answer: PromiseWithResolvers<Verified>
  /** The deadlines of those who wait. */
  deadlines: readonly number[]
  /** The time from which it waits; undefined where it was begun at once. */
  since: number | undefined
}

const waitingFor = (key: string, { credentialId, source, foreignHash, secrets, until }: Proof): Waiting => ({
  key,
  credentialId,
  network: networkOf(source),
  message: { secrets, foreignHash },
  answer: Promise.withResolvers(),
  until,
  deadlines: [until],
  since: undefined,
})

export const makeForeignHashCheck = ({
  timing,
  verify = makeThreadVerify(),
  now = () => performance.now(),
  waits = UNMEASURED,
}: Options): ImportedSecrets['verify'] => {
  const queue = makeForeignHashQueue<Waiting>(timing)
  const known = new Map<string, Waiting>()
  let timer: NodeJS.Timeout | undefined

  const refuse = (one: Waiting): void => {
    known.delete(one.key)
    one.answer.resolve('busy')
  }

  const verifyOne = async (one: Waiting): Promise<void> => {
    const began = now()
    if (one.since !== undefined) waits.onWaited(began - one.since)
    let isRight = false
    try {
      const secret = one.message.secrets[await verify(one.message)]
      isRight = secret !== undefined
      one.answer.resolve(secret === undefined ? 'wrong' : { secret })
    } catch (fault) {
      one.answer.reject(new Unavailable('A secret could not be proved.', { cause: fault }))
    }
    known.delete(one.key)
    queue.end(one, { now: now(), workedMs: now() - began, isRight })
    proceed()
  }

  const proceed = (): void => {
    clearTimeout(timer)
    queue.expire(now()).forEach(refuse)
    waits.onWaiting(known.size)
    const next = queue.next(now())
    if (next === undefined) return
    if ('begun' in next) void verifyOne(next.begun)
    else timer = setTimeout(proceed, next.waitMs)
  }

  const join = (one: Waiting, until: number): Promise<Verified> => {
    const left = one.deadlines.filter(deadline => deadline > now())
    if (left.length >= WAITERS_MAX) return Promise.resolve('busy')
    one.deadlines = [...left, until]
    one.until = Math.max(one.until, until)
    return one.answer.promise
  }

  return proof => {
    const key = JSON.stringify([proof.credentialId, proof.foreignHash, proof.secrets])
    const same = known.get(key)
    if (same !== undefined) return join(same, proof.until)
    const one = waitingFor(key, proof)
    known.set(key, one)
    queue.expire(now()).forEach(refuse)
    const refused = queue.add(one)
    if (refused !== undefined) refuse(refused)
    proceed()
    one.since = now()
    return one.answer.promise
  }
}
