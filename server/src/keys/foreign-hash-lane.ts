// The queue in front of the thread that proves secrets against other servers' hashes: bounded, fair, and idle most of
// the time, so that a flood of wrong secrets costs the service a part of a core and no more.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { Unavailable } from '../domain/refusal.ts'
import type { ImportedSecrets, Proof } from '../ports/imports.ts'
import type { ProofMessage, ProofReply } from './foreign-hash-thread.ts'

type Proven = Awaited<ReturnType<ImportedSecrets['prove']>>

/** Different secrets that may wait: all together, and of one credential, which then keeps nobody else out. */
export const PROOFS_MAX = 64
export const PROOFS_OF_ONE_MAX = 4
/** Where others wait, the thread rests so many times as long as it has worked. */
const REST_PARTS = 3

type Waiting = Proof & {
  readonly key: string
  readonly answer: PromiseWithResolvers<Proven>
}

const startThread = (onExit: () => void): Worker => {
  const url = new URL(`./foreign-hash-thread${import.meta.url.slice(-3)}`, import.meta.url)
  const thread = new Worker(url, { name: 'mintmark foreign hashes' })
  thread.unref()
  // A fault is told to the caller who waits, if one does.
  thread.on('error', () => undefined)
  thread.once('exit', onExit)
  return thread
}

const askThread = async (thread: Worker, { secrets, foreignHash }: Proof): Promise<ProofReply> => {
  const heard = new AbortController()
  // A caller waits: the process must not end under it.
  thread.ref()
  try {
    const { signal } = heard
    const reply = once(thread, 'message', { signal }) as Promise<[ProofReply]>
    const ended = once(thread, 'exit', { signal }).then(() =>
      Promise.reject(new Error('The thread that proves secrets ended.')),
    )
    thread.postMessage({ secrets, foreignHash } satisfies ProofMessage)
    const [which] = await Promise.race([reply, ended])
    return which
  } finally {
    heard.abort()
    thread.unref()
  }
}

/** The thread starts with the first proof, and serves the thread that makes the lane. */
export const makeForeignHashLane = (now: () => number = () => performance.now()): ImportedSecrets['prove'] => {
  // In the order of arrival; what is being proved is among them until it is answered.
  const waiting = new Map<string, Waiting>()
  let thread: Worker | undefined
  let isRunning = false

  const proveOne = async (one: Waiting): Promise<Proven> => {
    if (now() >= one.until) return 'busy'
    thread ??= startThread(() => {
      thread = undefined
    })
    const secret = one.secrets[await askThread(thread, one)]
    return secret === undefined ? 'wrong' : { secret }
  }

  const settle = async (one: Waiting): Promise<void> => {
    try {
      one.answer.resolve(await proveOne(one))
    } catch (fault) {
      one.answer.reject(new Unavailable('A secret could not be proved.', { cause: fault }))
    }
    waiting.delete(one.key)
  }

  const run = async (): Promise<void> => {
    isRunning = true
    for (let [one] = waiting.values(); one !== undefined; [one] = waiting.values()) {
      const began = now()
      await settle(one)
      const restMs = waiting.size === 0 ? 0 : REST_PARTS * (now() - began)
      if (restMs > 0) await new Promise(resolve => setTimeout(resolve, restMs))
    }
    isRunning = false
  }

  return proof => {
    // Who asks the same at once is answered together: an agent that begins with many requests needs one proof.
    const key = JSON.stringify([proof.credentialId, proof.foreignHash, proof.secrets])
    const same = waiting.get(key)
    if (same !== undefined) return same.answer.promise
    const ofOne = [...waiting.values()].filter(({ credentialId }) => credentialId === proof.credentialId)
    if (waiting.size >= PROOFS_MAX || ofOne.length >= PROOFS_OF_ONE_MAX) return Promise.resolve('busy')
    const one = { ...proof, key, answer: Promise.withResolvers<Proven>() }
    waiting.set(key, one)
    if (!isRunning) void run()
    return one.answer.promise
  }
}
