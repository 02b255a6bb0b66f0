// A byte order mark (U+FEFF), which some editors put in front of a file: passed over in front of JSON, refused by name elsewhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin } from '../../../../testkit/callers/administration.ts'
import {
  assertError,
  assertProblem,
  basic,
  bearer,
  FORM,
  get,
  introspect,
  issue,
  send,
} from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const MARK = '\u{FEFF}'
/** As a header carries it, byte by byte. */
const MARK_BYTES = Buffer.from(MARK).toString('latin1')

const service = useService()
const agent = service.agent()
const apiKey = service.apiKey('tokens:introspect')

test('a JSON body is read behind one', async () => {
  const headers = { ...(await admin(service)), 'content-type': 'application/json' }
  const body = `${MARK}{"name":"marked","scope":"db:read"}`
  const answer = await send(service, { method: 'POST', path: '/api/v1/agents', headers, body })
  assert.equal(answer.status, 201, answer.text)
})

test('a form, a parameter and a credential in a header that begin with one are refused by name', async () => {
  const refused = (what: string): string => `${what} begins with a byte order mark (U+FEFF): send it without one.`
  const { clientId, clientSecret } = agent
  const form = `grant_type=client_credentials&client_id=${clientId}&client_secret=`
  const post = (body: string) => send(service, { method: 'POST', path: '/oauth/token', headers: FORM, body })
  for (const marked of [`${MARK}${form}${clientSecret}`, `%EF%BB%BF${form}${clientSecret}`]) {
    assertError(await post(marked), 400, 'invalid_request', refused('The name of a parameter'))
  }
  assertError(await post(`${form}${MARK}${clientSecret}`), 400, 'invalid_request', refused('client_secret'))
  const key = { 'x-api-key': `${MARK_BYTES}${apiKey.key}` }
  const inKey = refused('The credential in the header x-api-key')
  assertProblem(await get(service, '/api/v1/tokens', key), 400, 'invalid_request', inKey)
  const inAuthorization = refused('The credential in the header authorization')
  for (const { authorization } of [basic(clientId, clientSecret), bearer('a.b.c')]) {
    const headers = { authorization: authorization.replace(' ', ` ${MARK_BYTES}`) }
    assertProblem(await get(service, '/api/v1/tokens', headers), 400, 'invalid_request', inAuthorization)
  }
})

test('a token that begins with one is a token that nobody issued', async () => {
  const answer = await introspect(service, apiKey.key, `${MARK}${await issue(service, agent)}`)
  assert.deepEqual([answer.status, answer.json], [200, { active: false }])
})
