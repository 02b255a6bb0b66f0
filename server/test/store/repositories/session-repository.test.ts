// The port of sessions beside a store that does not take what is written.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { until } from '../../../../testkit/processes/until.ts'
import { IGNORE } from '../../../src/store/background.ts'
import { makeSessionRepository } from '../../../src/store/repositories/session-repository.ts'
import { Unavailable } from '../../../src/domain/refusal.ts'
import type { Writer } from '../../../src/store/subjects.ts'

const nothing = (): never => assert.fail('nothing is read')
const READER = { read: nothing, readUntimed: nothing }

test('what a renewal got is written until the store takes it, and the request that renewed does not wait', async () => {
  const id = randomUUID()
  const sealed = { sealedTokens: Buffer.of(1), expiresAt: 2 }
  const taken: unknown[] = []
  let asked = 0
  const call = async (job: string, input: unknown): Promise<unknown> => {
    asked += 1
    if (asked < 3) throw new Unavailable('the database fails over')
    taken.push(job, input)
    return null
  }
  const writer = { call } as Writer
  const sessions = makeSessionRepository(READER, writer, { timing: { sessionPollMs: 1 }, onFault: IGNORE })
  await sessions.renew(id, 3, sealed)
  assert.equal(asked, 1)
  await until('the tokens are kept', async () => taken.length > 0)
  assert.deepEqual(taken, ['renewSession', { id, claim: 3, ...sealed }])
})
