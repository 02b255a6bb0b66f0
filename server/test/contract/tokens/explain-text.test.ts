// Texts that are explained: what is no token of this service in its exact spelling, and who may ask about which.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXPLAIN, failedOf, idOf, makeExplainer, readExplained } from '../../../../testkit/callers/explanations.ts'
import { assertProblem, claimsOf, issue, postJson, revoke } from '../../../../testkit/callers/requests.ts'
import { spellingsOf } from '../../../../testkit/callers/spellings.ts'
import { AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const NOT_FOUND = 'No token has this id, or none that is kept.'
const ORDERS = 'https://orders.example'

const service = useService()
const agent = service.agent()
const introspector = service.apiKey('tokens:introspect')
const reader = service.apiKey('tokens:read')
const narrow = service.apiKey('tokens:read', [AUDIENCE])
const { askText, askId, explain, isActive, codeOf } = makeExplainer(service, {
  reader: () => reader.key,
  introspector: () => introspector.key,
})

/** Of a signature its last character, which has bits to spare. */
const withSurplusBits = (token: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return token.slice(0, -1) + String(alphabet[alphabet.indexOf(token.at(-1) ?? '') + 1])
}

const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** The same ECDSA signature with n−s in the place of s. */
const withOtherS = (token: string): string => {
  const at = token.lastIndexOf('.') + 1
  const signature = Buffer.from(token.slice(at), 'base64url')
  const s = N - BigInt(`0x${signature.subarray(32).toString('hex')}`)
  const other = Buffer.concat([signature.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')])
  return token.slice(0, at) + other.toString('base64url')
}

const jws = (header: object, payload: object): string =>
  [header, payload, 'signature of nobody'.repeat(4)]
    .map(part => Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url'))
    .join('.')

const forged = (token: string): string => token.replace(/[^.]+$/, signature => signature.replace(/^.{8}/, 'AAAAAAAA'))

test('a text that is no token of this service in its exact spelling has one code for what it is', async () => {
  const token = await issue(service, agent)
  const [header = '', payload = '', signature = ''] = token.split('.')
  const unknown = issueUnknown(token)
  const cases: readonly (readonly [text: string, code: string, failed: string])[] = [
    ['', 'malformed', 'form'],
    ['opaque', 'malformed', 'form'],
    ['a.b', 'malformed', 'form'],
    ['a.b.c.d.e', 'malformed', 'form'],
    ['\u0000.\uD800.x', 'malformed', 'form'],
    [`${header}.${payload}`, 'malformed', 'form'],
    [`${header}.${payload}.`, 'malformed', 'form'],
    [`${header}.${Buffer.from('[1]').toString('base64url')}.${signature}`, 'malformed', 'form'],
    ['x'.repeat(16_200), 'malformed', 'form'],
    [jws({ alg: 'ES256' }, { iss: 'https://other.example', jti: idOf(token) }), 'foreign', 'issuer'],
    [jws({ alg: 'ES256' }, { iss: service.baseUrl }), 'foreign', 'issuer'],
    [forged(token), 'foreign', 'spelling'],
    [`${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.${signature}`, 'foreign', 'spelling'],
    [` ${token}\n`, 'other_spelling', 'spelling'],
    [`${token}=`, 'other_spelling', 'spelling'],
    [withSurplusBits(token), 'other_spelling', 'spelling'],
    [withOtherS(token), 'other_spelling', 'spelling'],
    [unknown, 'unknown', 'record'],
  ]
  for (const [text, code, failed] of cases) {
    const explained = await explain(text)
    assert.equal(explained.code, code, text)
    assert.deepEqual(failedOf(explained), [failed], text)
    assert.equal(explained.checks.at(-1)?.check, failed, 'nothing is checked after it')
    assert.equal(explained.active, false)
    if (text.trim() !== '') assert.equal(await isActive(text.toWellFormed()), false)
    assert.equal(explained.token === null, code !== 'other_spelling')
  }
  assert.equal(await codeOf(token), 'active')
})

/** Of the form of ours, with the id of no token. */
const issueUnknown = (token: string): string => {
  const { jti } = claimsOf(token)
  const [header = '', payload = '', signature = ''] = token.split('.')
  const other = `${String(jti).slice(0, -4)}0000`
  const claims = Buffer.from(payload, 'base64url').toString().replace(String(jti), other)
  return `${header}.${Buffer.from(claims).toString('base64url')}.${signature}`
}

test('a text that is spelled otherwise stays so after the end of its token, and a forged one is not the token', async () => {
  const token = await issue(service, agent)
  await revoke(service, token)
  assert.equal((await explain(`${token}=`)).code, 'other_spelling')
  assert.equal((await explain(forged(token))).code, 'foreign')
  assert.equal(await codeOf(token), 'manual_revocation')
})

test('a key limited to audiences explains its own tokens; others and unknown ones are 404 to it', async () => {
  const own = await issue(service, agent)
  const other = await issue(service, agent, { resource: ORDERS })
  assert.equal(readExplained(await askText(own, narrow.key)).code, 'active')
  assert.equal(readExplained(await askId(idOf(own), narrow.key)).code, 'active')
  for (const text of [other, `${other}=`, forged(other), issueUnknown(own)]) {
    assertProblem(await askText(text, narrow.key), 404, 'not_found', NOT_FOUND)
  }
  assertProblem(await askId(idOf(other), narrow.key), 404, 'not_found', NOT_FOUND)
  for (const id of [idOf(issueUnknown(own)), 'x', '%00', 'explain']) {
    assertProblem(await askId(id), 404, 'not_found', NOT_FOUND)
  }
})

test('the text is a member of a body and nothing else, and is neither logged nor stored', async () => {
  const headers = { 'x-api-key': reader.key }
  for (const [body, message] of [
    [{}, 'token is missing: send the token to explain.'],
    [{ token: 1 }, 'token is missing: send the token to explain.'],
    [{ token: 'x', id: 'y' }, 'The body has the unknown member id.'],
  ] as const) {
    const answer = await postJson(service, EXPLAIN, body, headers)
    assert.equal(answer.status, 400, message)
  }
  const token = await issue(service, agent)
  for (const text of [token, `${token}=`, forged(token)]) {
    const answer = await askText(text)
    for (const spelled of spellingsOf(text.split('.')[2] ?? '')) {
      assert.ok(!service.log().includes(spelled))
      assert.ok(!answer.text.includes(spelled))
    }
  }
})
