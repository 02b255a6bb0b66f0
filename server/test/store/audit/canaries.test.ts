// The secrets of good requests and of wrong ones: none is ever found in the files of the store, however it is spelt.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { openSigningKey } from '../../../src/keys/tokens/signing-keys.ts'
import { basic, bearer, get, introspect, issue, postForm, revoke } from '../../../../testkit/callers/requests.ts'
import { spellingsOf, spellingsOfBytes } from '../../../../testkit/callers/spellings.ts'
import { type readRow, readRows } from '../../../../testkit/stores/store-file.ts'
import { KEY_ENCRYPTION_KEY, startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

const CANARY = 'mmc_C4n4ry/+=&secret'

/** All bytes of the file, its journal and its shared memory; read elsewhere, as closing a file here drops its locks. */
const bytesOf = (file: string): Buffer =>
  Buffer.concat([file, `${file}-wal`, `${file}-shm`].map(path => execFileSync('cat', [path], { maxBuffer: 2 ** 28 })))

const SEALED = 'select public_jwk, thumbprint, sealed_private_key, key_encryption_key_id from signing_key'

/** A private signing key: its number alone, and the form in which it is sealed. */
const privateKeyOf = (row: ReturnType<typeof readRow>): readonly Buffer[] => {
  const key = openSigningKey(KEY_ENCRYPTION_KEY, {
    publicJwk: JSON.parse(String(row['public_jwk'])),
    thumbprint: String(row['thumbprint']),
    sealedPrivateKey: row['sealed_private_key'] as Buffer,
    keyEncryptionKeyId: String(row['key_encryption_key_id']),
  })
  const { d = '' } = key.export({ format: 'jwk' })
  return [Buffer.from(d, 'base64url'), key.export({ format: 'der', type: 'pkcs8' })]
}

const sendWrongSecrets = async (service: TestServer, clientId: string): Promise<void> => {
  const grant = { grant_type: 'client_credentials' }
  const answers = await Promise.all([
    postForm(service, '/oauth/token', { ...grant, client_id: clientId, client_secret: CANARY }),
    postForm(service, '/oauth/token', grant, basic(clientId, CANARY)),
    postForm(service, '/oauth/introspect/v2', { token: 'x' }, { 'x-api-key': CANARY }),
    postForm(service, '/oauth/revoke', { token: CANARY }, bearer(CANARY)),
    get(service, '/api/v1/tokens', bearer(CANARY)),
  ])
  for (const { status } of answers) assert.equal(status, 401)
}

test('no token, secret, key or JWT is in the files of the store', async t => {
  const service = await startServer()
  t.after(service.close)
  const agent = await service.createAgent()
  const { key } = await service.createApiKey('tokens:introspect')
  const [token, ended] = [await issue(service, agent), await issue(service, agent)]
  await introspect(service, key, token)
  await revoke(service, ended)
  const jwt = await service.provider.operatorJwt()
  const noted = await postForm(service, '/oauth/revoke', { token: CANARY }, bearer(jwt))
  assert.equal(noted.status, 200, noted.text)
  await sendWrongSecrets(service, agent.clientId)

  const bytes = bytesOf(service.storeFile)
  // What is there is found: the search can fail.
  for (const there of [agent.clientId, createHash('sha256').update(token).digest().subarray(0, 16)]) {
    assert.ok(bytes.includes(there))
  }
  for (const secret of [token, ended, agent.clientSecret, key, jwt, CANARY]) {
    for (const spelling of spellingsOf(secret)) assert.ok(!bytes.includes(spelling), spelling)
  }
  const raw = [...readRows(service.storeFile, SEALED).flatMap(privateKeyOf), Buffer.from(KEY_ENCRYPTION_KEY)]
  for (const secret of raw) {
    assert.ok(!bytes.includes(secret))
    for (const spelling of spellingsOfBytes(secret)) assert.ok(!bytes.includes(spelling), spelling)
  }
})
