// An act that cannot be written into the audit log does not happen: for every operation that changes something.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { admin } from '../../../testkit/callers/administration.ts'
import { OPERATIONS, type OperationRequest, sendAs, type World } from '../../../testkit/callers/every-operation.ts'
import { contentOf } from '../../../testkit/stores/store-content.ts'
import { withFile } from '../../../testkit/stores/store-file.ts'
import { startServer } from '../../../testkit/services/test-server.ts'

/**
 * Issues and introspections: the ledger is their record. Where a verifier is changes nothing of what anybody may do, and an
 * explanation and a plan change nothing at all; what is done of a plan takes one of the same caller. An issuer's act has a test of its own: contract/subjects/global-revocation.
 */
const WITHOUT_ACT = [
  'POST /oauth/token',
  'POST /oauth/introspect/v2',
  'POST /oauth/revocation-feed/positions',
  'POST /api/v1/tokens/explain',
  'POST /api/v1/managed/plan',
  'POST /api/v1/managed/apply',
  'POST /oauth/global-token-revocation',
]

const ACTS = Object.keys(OPERATIONS).filter(one => /^(?:POST|PATCH|DELETE) /.test(one) && !WITHOUT_ACT.includes(one))

const BROKEN = `create trigger broken before insert on audit begin select raise(abort, 'the log is full'); end`

let world: World
let requests: ReadonlyMap<string, OperationRequest>

before(async () => {
  const service = await startServer()
  world = { service, client: await service.createAgent() }
  const made = new Map<string, OperationRequest>()
  // The key to retire last: an import takes the place of a next key, and what is gone is retired without an act.
  for (const operation of ACTS.toReversed()) {
    const request = await OPERATIONS[operation]?.(world)
    if (request !== undefined) made.set(operation, request)
  }
  requests = made
  withFile(service.storeFile, db => db.exec(BROKEN))
})

after(() => world.service.close())

for (const operation of ACTS) {
  test(`${operation}: where the log takes no entry it is 500, and nothing has changed`, async () => {
    const { service } = world
    const request = requests.get(operation)
    assert.ok(request)
    const earlier = contentOf(service.storeFile)
    const { status } = await sendAs(service, request, await admin(service))
    assert.equal(status, 500)
    assert.equal(contentOf(service.storeFile), earlier)
  })
}

test('once the log takes entries again, each of them is done', async () => {
  const { service } = world
  withFile(service.storeFile, db => db.exec('drop trigger broken'))
  for (const [operation, request] of requests) {
    const { status, text } = await sendAs(service, request, await admin(service))
    assert.ok(status >= 200 && status < 300, `${operation}: ${status} ${text}`)
  }
})
