// Each known weakness of JWT verification, at the client assertion: none gets a token, and nothing is fetched for any.
import assert from 'node:assert/strict'
import { createHmac, createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { CompactEncrypt, FlattenedSign, GeneralSign, importJWK } from 'jose'
import {
  askAsserting,
  assertionClaims,
  assertRefused,
  issueAsserting,
  makeAssertion,
  registerKeys,
  revokeAsserting,
} from '../../../../testkit/keys/client-assertions.ts'
import { type Change, encodeJson, makeProofKey, signParts } from '../../../../testkit/keys/dpop.ts'
import { introspect, issue } from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

const key = makeProofKey()
const rsa = makeProofKey('RS256')
const attacker = makeProofKey()
const KID = 'registered'

let service: TestServer
let agent: AgentOfTest
let connections = 0
const listener = createServer((_request, response) => response.end('{"keys":[]}'))
listener.on('connection', () => {
  connections += 1
})
let elsewhere: string

before(async () => {
  service = await startServer()
  agent = await service.createAgent()
  await registerKeys(service, agent, [
    { ...key.jwk, kid: KID },
    { ...rsa.jwk, kid: 'rsa' },
  ])
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  elsewhere = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}/jwks` : ''
})

after(async () => {
  listener.close()
  await service.close()
})

const claims = (): Change => assertionClaims(service, agent)

const unsigned = (header: Change, signature: string | Buffer = ''): string =>
  `${encodeJson(header)}.${encodeJson(claims())}.${Buffer.from(signature).toString('base64url')}`

const byAttacker = (header: Change): string =>
  signParts(attacker, JSON.stringify({ alg: 'ES256', kid: KID, ...header }), JSON.stringify(claims()))

const byOwner = (header: Change, payload = JSON.stringify(claims())): string =>
  signParts(key, JSON.stringify({ alg: 'ES256', kid: KID, ...header }), payload)

const good = (): string => byOwner({})

const parts = (): readonly [string, string, string] => good().split('.') as [string, string, string]

/** HMAC with the public key in each spelling in which a library may hold it. */
const symmetric = (alg: string, secret: string | Buffer): string => {
  const input = `${encodeJson({ alg, kid: 'rsa' })}.${encodeJson(claims())}`
  const mac = createHmac(alg.replace('HS', 'sha'), secret).update(input).digest('base64url')
  return `${input}.${mac}`
}

const publicKeySpellings = (): readonly (string | Buffer)[] => {
  const object = createPublicKey({ key: rsa.jwk, format: 'jwk' })
  return [
    object.export({ type: 'spki', format: 'pem' }),
    object.export({ type: 'spki', format: 'pem' }).trim(),
    object.export({ type: 'pkcs1', format: 'pem' }),
    object.export({ type: 'spki', format: 'der' }),
    object.export({ type: 'pkcs1', format: 'der' }),
    JSON.stringify(rsa.jwk),
    JSON.stringify({ ...rsa.jwk, kid: 'rsa' }),
    rsa.jwk.n ?? '',
    Buffer.from(rsa.jwk.n ?? '', 'base64url'),
  ]
}

const assertNothing = async (text: string): Promise<void> => {
  assertRefused(await askAsserting(service, text))
}

test('the control: a good assertion gets a token', async () => {
  await issueAsserting(service, good())
})

test('alg none, in every spelling, with any signature', async () => {
  for (const alg of [
    'none',
    'None',
    'NONE',
    'nOnE',
    'none ',
    '',
    null,
    undefined,
    ['none'],
    'ES256 ',
    'es256',
    'HS256',
  ]) {
    for (const signature of ['', ' ', 'x', Buffer.alloc(64)])
      await assertNothing(unsigned({ alg, kid: KID }, signature))
    const [header, payload] = unsigned({ alg, kid: KID }, 'x').split('.')
    await assertNothing(`${header}.${payload}`)
  }
})

test('HMAC with the public key as the secret, in every encoding', async () => {
  for (const secret of publicKeySpellings()) {
    for (const alg of ['HS256', 'HS384', 'HS512']) await assertNothing(symmetric(alg, secret))
  }
})

test('a key that the assertion brings itself, or names an address of: the listener sees no connection', async () => {
  const x5c = [Buffer.from('certificate').toString('base64')]
  const brought: readonly Change[] = [
    { jwk: attacker.jwk },
    { jwk: attacker.jwk, kid: undefined },
    { x5c },
    { x5c, x5t: 'thumbprint' },
    { jku: elsewhere },
    { jku: elsewhere, kid: 'elsewhere' },
    { x5u: elsewhere },
    { kid: elsewhere },
  ]
  for (const header of brought) await assertNothing(byAttacker(header))
  assert.equal(connections, 0)
})

test('a kid that is a path, a statement, an object or another key', async () => {
  const kids = [
    '../../dev/null',
    '/dev/null',
    "' or 1=1 --",
    '__proto__',
    'constructor',
    'rsa',
    '',
    7,
    null,
    {},
    [KID],
    `${KID}\0`,
  ]
  for (const kid of kids) {
    await assertNothing(byAttacker({ kid }))
    await assertNothing(byOwner({ kid }))
  }
})

test('an algorithm that the key is not for', async () => {
  for (const alg of ['RS256', 'PS256', 'ES384', 'Ed25519', 'EdDSA', 'ES256K', 'RS512', 'RSA-OAEP']) {
    await assertNothing(byOwner({ alg }))
  }
})

test('crit, b64 and zip', async () => {
  const headers: readonly Change[] = [
    { crit: ['exp'] },
    { crit: [] },
    { b64: true },
    { b64: false, crit: ['b64'] },
    { zip: 'DEF' },
  ]
  for (const header of headers) await assertNothing(byOwner(header))
})

test('an empty, blank, shortened, prolonged or reused signature, and ECDSA values of nought', async () => {
  const [header, payload, signature] = parts()
  const other = parts()[2]
  const bytes = Buffer.from(signature, 'base64url')
  const der = Buffer.concat([Buffer.of(0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01)])
  const signatures = [
    '',
    ' ',
    '=',
    'AA',
    other,
    bytes.subarray(1).toString('base64url'),
    Buffer.concat([bytes, Buffer.alloc(1)]).toString('base64url'),
    Buffer.alloc(64).toString('base64url'),
    Buffer.alloc(64, 0xff).toString('base64url'),
    der.toString('base64url'),
  ]
  for (const one of signatures) await assertNothing(`${header}.${payload}.${one}`)
})

test('another spelling of the same assertion: padding, white space, surplus bits, the other alphabet', async () => {
  const [header, payload, signature] = parts()
  const spellings = [
    `${header}=.${payload}.${signature}`,
    `${header}.${payload}==.${signature}`,
    `${header}.${payload}.${signature}=`,
    ` ${header}.${payload}.${signature}`,
    `${header}.${payload}.${signature}\n`,
    `${header}.${payload} .${signature}`,
    `${header}.${payload}.${signature}.`,
    `.${header}.${payload}.${signature}`,
    `${header}.${payload}.${signature.slice(0, -1)}${signature.endsWith('B') ? 'C' : 'B'}`,
  ]
  for (const text of spellings) await assertNothing(text)
})

test('members that stand twice, and JSON that is none', async () => {
  const body = JSON.stringify(claims())
  const twice = [
    `{"sub":"somebody",${body.slice(1)}`,
    `${body.slice(0, -1)},"aud":"${service.baseUrl}"}`,
    `${body.slice(0, -1)},"\\u0061ud":"elsewhere"}`,
    `${body} x`,
    `\uFEFF${body}`,
    `[${body}]`,
    '"text"',
    'null',
  ]
  for (const payload of twice) await assertNothing(byOwner({}, payload))
  await assertNothing(signParts(key, `{"alg":"none","alg":"ES256","kid":"${KID}"}`, body))
  await assertNothing(signParts(key, `{"alg":"ES256","kid":"${KID}","kid":"${KID}"}`, body))
})

test('the JSON serializations, and an encrypted JWT', async () => {
  const privateKey = await importJWK({ ...key.privateKey.export({ format: 'jwk' }), alg: 'ES256' })
  const publicKey = await importJWK({ ...rsa.jwk, alg: 'RSA-OAEP-256' })
  const payload = Buffer.from(JSON.stringify(claims()))
  const header = { alg: 'ES256', kid: KID }
  const flattened = await new FlattenedSign(payload).setProtectedHeader(header).sign(privateKey)
  const general = await new GeneralSign(payload).addSignature(privateKey).setProtectedHeader(header).sign()
  const jwe = new CompactEncrypt(Buffer.from(good())).setProtectedHeader({
    alg: 'RSA-OAEP-256',
    enc: 'A256GCM',
    cty: 'JWT',
  })
  for (const text of [JSON.stringify(flattened), JSON.stringify(general), await jwe.encrypt(publicKey)]) {
    await assertNothing(text)
  }
})

test('a JWT for another purpose, one of our access tokens, one of another client', async () => {
  for (const typ of ['at+jwt', 'application/at+jwt', 'dpop+jwt', 'logout+jwt', 'secevent+jwt', '', 7, null]) {
    await assertNothing(byOwner({ typ }))
  }
  for (const typ of ['JWT', 'jwt', 'application/jwt', 'client-authentication+jwt']) {
    await issueAsserting(service, byOwner({ typ }))
  }
  await assertNothing(await issue(service, agent, { resource: service.baseUrl }))
  const other = await service.createAgent()
  await assertNothing(makeAssertion(service, other, key))
  await assertNothing(makeAssertion(service, agent, key, { claims: { iss: other.clientId } }))
  await assertNothing(makeAssertion(service, agent, key, { claims: { sub: other.clientId } }))
})

test('subjects of every kind are refused, not an error of ours', async () => {
  for (const sub of [undefined, null, 7, {}, [], '', ' ', '\0', '__proto__', 'x'.repeat(600), '\uD800', 'nobody']) {
    await assertNothing(makeAssertion(service, agent, key, { claims: { iss: sub, sub } }))
    await assertNothing(makeAssertion(service, agent, key, { claims: { sub } }))
  }
})

test('at revocation a forged assertion ends nothing', async () => {
  const { key: introspector } = await service.createApiKey('tokens:introspect')
  const token = await issueAsserting(service, good())
  const forged = [
    unsigned({ alg: 'none', kid: KID }),
    byAttacker({}),
    byAttacker({ jwk: attacker.jwk }),
    byAttacker({ jku: elsewhere }),
    byOwner({ crit: ['exp'] }),
    symmetric('HS256', JSON.stringify(rsa.jwk)),
  ]
  for (const text of forged) assertRefused(await revokeAsserting(service, text, token))
  assert.equal(((await introspect(service, introspector, token)).json as { active: unknown }).active, true)
  assert.equal(connections, 0)
})
