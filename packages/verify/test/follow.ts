// What tests of a verifier that follows the feed share.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { until } from '../../../testkit/processes/until.ts'
import type { VerifierOptions } from '../src/options.ts'
import type { Verifier } from '../src/verifier.ts'
import type { Runtime } from '../src/wire/runtime.ts'
import { verifierOf, verifyAs } from './fixtures.ts'
import { type Minted, type Publisher, startPublisher } from '../../../testkit/feed/reference-publisher.ts'

export const FEED = '/oauth/revocation-feed'
export const INTROSPECTION = '/oauth/introspect/v2'

/** A service that hangs. */
export const never = (): Promise<boolean> => new Promise(() => {})

export type Changed = Partial<VerifierOptions> & { readonly runtime?: Runtime }

/** A publisher of a test's own, so that its feed begins at nothing. */
export const open = async (t: TestContext): Promise<Publisher> => {
  const publisher = await startPublisher()
  t.after(() => publisher.close())
  return publisher
}

export const follow = async (t: TestContext, publisher: Publisher, changed: Changed = {}): Promise<Verifier> => {
  const verifier = verifierOf(t, publisher, changed)
  const status = await verifier.ready()
  assert.ok(status.isFresh, status.lastFailure?.problem ?? '')
  return verifier
}

/** Each document is applied as it comes: no answer of the service is needed for it. */
export const reach = (verifier: Verifier, position: number): Promise<void> =>
  until(`position ${position}`, async () => verifier.status().position === position)

export const assertRevokedByFeed = async (
  publisher: Publisher,
  verifier: Verifier,
  { token }: Minted,
): Promise<void> => {
  const before = publisher.count(INTROSPECTION)
  assert.equal(await verifyAs(verifier, token), 'revoked')
  assert.equal(publisher.count(INTROSPECTION), before)
}
