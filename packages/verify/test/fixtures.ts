// What tests of the verifier share: a publisher for a file, verifiers that end with their test, and a clock that is set.
import assert from 'node:assert/strict'
import { after, before, type TestContext } from 'node:test'
import { makeVerifier } from '../src/create-verifier.ts'
import type { VerifierOptions } from '../src/options.ts'
import type { RefusalCode, Refused } from '../src/refusals.ts'
import type { Asked, Verified, Verifier } from '../src/verifier.ts'
import { type Runtime, WEB_RUNTIME } from '../src/wire/runtime.ts'
import { API_KEY, AUDIENCE, type Publisher, startPublisher } from '../../../testkit/feed/reference-publisher.ts'

/** A publisher for all tests of a file, as each test finds it: without faults. */
export const usePublisher = (alg?: string): Publisher => {
  const publisher = {} as Publisher
  before(async () => {
    await startPublisher(alg, publisher)
  })
  after(() => publisher.close())
  return publisher
}

/** The runtime's own clocks, moved on by what a test says; timers are real. */
export const makeRuntime = () => {
  let monotonicAhead = 0
  let wallAhead = 0
  const runtime: Runtime = {
    ...WEB_RUNTIME,
    monotonicMs: () => WEB_RUNTIME.monotonicMs() + monotonicAhead,
    wallMs: () => WEB_RUNTIME.wallMs() + wallAhead,
  }
  return {
    ...runtime,
    /** Both clocks. */
    pass: (ms: number): void => {
      monotonicAhead += ms
      wallAhead += ms
    },
    /** The clock of the machine alone. */
    step: (ms: number): void => {
      wallAhead += ms
    },
  }
}

type Changed = Partial<VerifierOptions> & { readonly runtime?: Runtime }

/** A verifier of the publisher's tokens that is closed after the test. */
export const verifierOf = (
  t: TestContext,
  publisher: Publisher,
  { runtime = WEB_RUNTIME, ...changed }: Changed = {},
): Verifier => {
  const verifier = makeVerifier({ issuer: publisher.issuer, audience: AUDIENCE, apiKey: API_KEY, ...changed }, runtime)
  t.after(() => verifier.close())
  return verifier
}

export const assertVerified: (result: Verified | Refused, by?: Verified['by']) => asserts result is Verified = (
  result,
  by,
) => {
  assert.ok(result.ok, result.ok ? '' : `${result.refusal}: ${result.reason}`)
  if (by !== undefined) assert.equal(result.by, by)
}

export const refusalOf = (result: Verified | Refused): RefusalCode | 'accepted' =>
  result.ok ? 'accepted' : result.refusal

export const verifyAs = async (verifier: Verifier, token: string, asked?: Asked): Promise<string> => {
  const result = await (asked === undefined ? verifier.verify(token) : verifier.verify(token, asked))
  return result.ok ? result.by : result.refusal
}
