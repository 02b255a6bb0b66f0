// Secrets of another server at the token endpoint: taken as they are, or proved against a hash once and then converted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImportedSecrets } from '../../../src/ports/imports.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { hydraRow, keycloakClient } from '../../../../testkit/callers/foreign-exports.ts'
import { importsInto, pbkdf2Hash } from '../../../../testkit/callers/imports.ts'
import type { Source } from '../../../src/cli/imports/plan-document.ts'
import {
  type Answer,
  askToken,
  assertError,
  basic,
  introspect,
  issue,
  postForm,
} from '../../../../testkit/callers/requests.ts'
import { type FileRow, readRow, readRows } from '../../../../testkit/stores/store-file.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const SECRET = 'orders-service-secret-2019'
const BCRYPT = '$2b$10$N9qo8uLOickgx2ZMRZoMyekIwqXL62qEl9V/2sSfHDsc3a3r7/WEi'
const WRONG =
  'Client authentication failed: send client_id and client_secret of an enabled agent, in the form or by HTTP Basic.'

let verify: (() => ReturnType<ImportedSecrets['verify']>) | undefined
let proofs = 0

/** Counts the proofs, and lets a test stand in their way. */
const watchProofs = (ports: Ports): Ports => ({
  ...ports,
  importedSecrets: {
    ...ports.importedSecrets,
    verify: proof => {
      proofs += 1
      return verify === undefined ? ports.importedSecrets.verify(proof) : verify()
    },
  },
})

const service = useService({ break: watchProofs })

const importOne = async (source: Source, client: object, clientSecret = SECRET): Promise<AgentOfTest> => {
  const [one] = await importsInto(service).importing({ source, document: [client] })
  assert.equal(one?.['outcome'], 'imported')
  return { agentId: one.agent_id, clientId: String(one['client_id']), clientSecret }
}

let clients = 0
const newId = (): string => {
  clients += 1
  return `client-${clients}`
}

const importHash = (hash: string, clientSecret = SECRET) =>
  importOne('hydra', hydraRow(newId(), { client_secret: hash }), clientSecret)
const importPlain = (secret: string) => importOne('keycloak', keycloakClient(newId(), { secret }), secret)

const ask = (agent: AgentOfTest, clientSecret = agent.clientSecret): Promise<Answer> =>
  askToken(service, { ...agent, clientSecret }, { scope: 'db:read' })

const askBasic = (agent: AgentOfTest, secret: string): Promise<Answer> =>
  postForm(
    service,
    '/oauth/token',
    { grant_type: 'client_credentials', scope: 'db:read' },
    basic(agent.clientId, secret),
  )

const credentialOf = ({ agentId }: AgentOfTest) => {
  const row = readRow(
    service.storeFile,
    `select c.id, c.secret_hash as hash, c.foreign_hash as "foreignHash", c.last_used_at as "usedAt"
     from credential c join agent a on a.n = c.agent where a.id = ?`,
    agentId,
  )
  return { ...row, hash: Buffer.from(row['hash'] as Uint8Array).toString('hex') } as FileRow & { readonly hash: string }
}

const conversionsOf = (agent: AgentOfTest) =>
  readRows(
    service.storeFile,
    `select actor, subject, detail, request_id from audit where kind = 'credential.convert' and subject = ?`,
    credentialOf(agent)['id'],
  )

const proofsDuring = async (work: () => Promise<unknown>): Promise<number> => {
  const made = proofs
  await work()
  return proofs - made
}

test('a secret that came as text gets a token, in the form and by HTTP Basic, and nothing is proved for it', async () => {
  const agent = await importPlain('uWk2mPq8ZtYvB4nXcR7sJdF9hLgA3eTo')
  const asked = await proofsDuring(async () => {
    assert.equal((await ask(agent)).status, 200)
    assert.equal((await askBasic(agent, agent.clientSecret)).status, 200)
    assertError(await ask(agent, `${agent.clientSecret}x`), 401, 'invalid_client', WRONG)
    assertError(await ask(agent, ''), 401, 'invalid_client', WRONG)
  })
  assert.equal(asked, 0)
})

test('a secret with characters that HTTP Basic encodes is taken both encoded and as it is', async () => {
  const secrets = ['100% sure+of/it=and&more', 'percent %41 and + plus sign', 'ünïcödé sécrét 20 chars']
  for (const secret of secrets) {
    for (const agent of [await importPlain(secret), await importHash(pbkdf2Hash(secret, 10), secret)]) {
      const sent = [secret, encodeURIComponent(secret), new URLSearchParams({ s: secret }).toString().slice(2)]
      for (const text of sent) assert.equal((await askBasic(agent, text)).status, 200, text)
      assert.equal((await ask(agent)).status, 200)
      assert.equal((await askBasic(agent, `${secret}x`)).status, 401)
    }
  }
})

test('the plain text and SHA-256 of an imported secret are not in the store', async () => {
  const agent = await importPlain('zXk2mPq8ZtYvB4nXcR7sJdF9hLgA3eTo')
  const { hash } = credentialOf(agent)
  const { createHash } = await import('node:crypto')
  assert.match(hash, /^[0-9a-f]{64}$/)
  assert.notEqual(hash, createHash('sha256').update(agent.clientSecret).digest('hex'))
})

for (const [name, hash] of Object.entries({ bcrypt: BCRYPT, PBKDF2: pbkdf2Hash(SECRET) })) {
  test(`a ${name} hash is proved by its secret once, and converted: the same secret then needs no proof`, async () => {
    const agent = await importHash(hash)
    assertError(await ask(agent, `${SECRET}x`), 401, 'invalid_client', WRONG)
    assert.equal(credentialOf(agent)['foreignHash'], hash)
    assert.equal(await proofsDuring(() => ask(agent)), 1)
    const { foreignHash, hash: converted } = credentialOf(agent)
    assert.deepEqual([foreignHash, converted.length], [null, 64])
    assert.equal(await proofsDuring(async () => assert.equal((await ask(agent)).status, 200)), 0)
    assert.equal(
      await proofsDuring(async () => assertError(await ask(agent, 'wrong'), 401, 'invalid_client', WRONG)),
      0,
    )
    const [entry, ...others] = conversionsOf(agent)
    assert.deepEqual(others, [])
    assert.deepEqual(JSON.parse(String(entry?.['actor'])), { type: 'client', id: agent.clientId })
    assert.deepEqual(JSON.parse(String(entry?.['detail'])), { agent_id: agent.agentId })
    assert.equal(typeof entry?.['request_id'], 'string')
  })
}

test('the token of the request that converts is as any other: its scope, its credential, active', async () => {
  const agent = await importHash(pbkdf2Hash(SECRET, 10))
  const token = await issue(service, agent, { scope: 'db:read' })
  const { key } = await service.createApiKey('tokens:introspect')
  const { json } = await introspect(service, key, token)
  const { active, scope, client_id, sub } = json as Record<string, unknown>
  assert.deepEqual([active, scope, client_id, sub], [true, 'db:read', agent.clientId, agent.agentId])
  assert.notEqual(credentialOf(agent)['usedAt'], null)
})

test('fifty requests with the right secret at once: all get a token, and one converts', async () => {
  const agent = await importHash(pbkdf2Hash(SECRET))
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask(agent)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(conversionsOf(agent).length, 1)
})

test('a request of another kind is refused as ever once its secret is proved, and the conversion stays', async () => {
  const agent = await importHash(pbkdf2Hash(SECRET, 10))
  const answer = await askToken(service, agent, { scope: 'files:read' })
  assert.deepEqual([answer.status, (answer.json as { error: string }).error], [400, 'invalid_scope'])
  assert.equal(conversionsOf(agent).length, 1)
})

test('a client may revoke its own token by a secret that was not converted yet', async () => {
  const agent = await importHash(pbkdf2Hash(SECRET, 10))
  const form = { token: 'no token', client_id: agent.clientId }
  const wrong = await postForm(service, '/oauth/revoke', { ...form, client_secret: `${SECRET}x` })
  assertError(wrong, 401, 'invalid_client', WRONG)
  const done = await postForm(service, '/oauth/revoke', { ...form, client_secret: SECRET })
  assert.equal(done.status, 200, done.text)
  assert.equal(conversionsOf(agent).length, 1)
})

test('a proven secret of fewer than 20 characters is taken each time, and never kept under a fast hash', async () => {
  const agent = await importHash(pbkdf2Hash('nineteen characters', 10), 'nineteen characters')
  for (let n = 0; n < 2; n += 1) {
    assert.equal(await proofsDuring(async () => assert.equal((await ask(agent)).status, 200)), 1)
  }
  assert.notEqual(credentialOf(agent)['foreignHash'], null)
  assert.equal(conversionsOf(agent).length, 0)
})

test('an unconverted secret of a disabled agent, a revoked or an expired one is refused without a proof', async () => {
  const disabled = await importHash(pbkdf2Hash(SECRET, 10))
  await service.disableAgent(disabled.agentId)
  const revoked = await importHash(pbkdf2Hash(SECRET, 10))
  const path = `/api/v1/agents/${revoked.agentId}/credentials/${String(credentialOf(revoked)['id'])}/revoke`
  await call(service, { method: 'POST', path, body: {} }, await admin(service))
  const seconds = Math.floor(service.clock.wall() / 1000) + 60
  const row = hydraRow(newId(), { client_secret: pbkdf2Hash(SECRET, 10), client_secret_expires_at: seconds })
  const expired = await importOne('hydra', row)
  service.clock.advance(60_000)
  const asked = await proofsDuring(async () => {
    for (const agent of [disabled, revoked, expired]) {
      assertError(await ask(agent), 401, 'invalid_client', WRONG)
    }
    assertError(await ask(disabled, 'x'.repeat(1025)), 401, 'invalid_client', WRONG)
  })
  assert.equal(asked, 0)
  const enabled = await importHash(pbkdf2Hash(SECRET, 10))
  assert.equal(await proofsDuring(() => ask(enabled, 'x'.repeat(1025))), 0)
})

test('a secret of ours that the agent got since is taken without a proof, and the imported one goes on', async () => {
  const agent = await importHash(pbkdf2Hash(SECRET, 10))
  const path = `/api/v1/agents/${agent.agentId}/credentials`
  const made = await call(service, { method: 'POST', path, body: { name: 'second' } }, await admin(service))
  const { client_secret } = made.json as { client_secret: string }
  assert.equal(await proofsDuring(async () => assert.equal((await ask(agent, client_secret)).status, 200)), 0)
  assert.equal((await ask(agent)).status, 200)
})

test('while too many secrets are being checked the answer is 503, and other clients go on', async t => {
  const [imported, own] = [await importHash(pbkdf2Hash(SECRET, 10)), await service.createAgent()]
  t.after(() => {
    verify = undefined
  })
  verify = () => Promise.resolve('busy')
  const answer = await ask(imported)
  const busy = 'More secrets of imported clients are waiting to be checked than are taken: try again.'
  assertError(answer, 503, 'temporarily_unavailable', busy)
  assert.equal(answer.headers['retry-after'], '1')
  assert.equal((await askToken(service, own)).status, 200)
  const held = Promise.withResolvers<'wrong'>()
  verify = () => held.promise
  const waiting = ask(imported)
  assert.equal((await askToken(service, own)).status, 200)
  held.resolve('wrong')
  assertError(await waiting, 401, 'invalid_client', WRONG)
})

test('a wrong secret of an unconverted client is counted as refused', async () => {
  const agent = await importHash(pbkdf2Hash(SECRET, 10))
  await ask(agent, 'wrong')
  await service.settle()
  const rows = readRows(service.storeFile, 'select count from refused where client = ?', agent.clientId)
  assert.deepEqual(rows, [{ count: 1 }])
})

test('no secret and no hash that was sent or imported is in the log', () => {
  for (const text of [SECRET, BCRYPT, 'pbkdf2-sha256$', '100% sure']) assert.ok(!service.log().includes(text), text)
})
