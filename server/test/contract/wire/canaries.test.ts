// Canaries: secrets put into requests: none is ever found in the log, at its most talkative, or in the body of an error.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import {
  type Answer,
  askToken,
  basic,
  bearer,
  FORM,
  get,
  introspect,
  issue,
  postForm,
  revoke,
  send,
} from '../../../../testkit/callers/requests.ts'
import { spellingsOf } from '../../../../testkit/callers/spellings.ts'
import { readRows } from '../../../../testkit/stores/store-file.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const CANARY = 'mmc_C4n4ry/+=&secret'
const PATHS = [
  '/oauth/token',
  '/oauth/introspect/v2',
  '/oauth/revoke',
  '/api/v1/tokens',
  '/api/v1/tokens/history',
  '/api/v1/agents',
  '/api/v1/audit',
]

const service = useService()
const agent = service.agent()
const apiKey = service.apiKey('tokens:introspect')

const assertAbsent = (secret: string, text: string): void => {
  for (const spelling of spellingsOf(secret)) assert.ok(!text.includes(spelling), `${spelling} is in: ${text}`)
}

const sendCanaries = async (path: string): Promise<readonly Answer[]> => {
  const query = encodeURIComponent(CANARY)
  const fields = (...names: string[]) => Object.fromEntries(names.map(name => [name, CANARY]))
  return Promise.all([
    postForm(service, path, fields('grant_type', 'client_id', 'client_secret', 'scope', 'resource')),
    postForm(service, path, fields('token', 'token_type_hint', 'client_secret', 'client_assertion')),
    postForm(
      service,
      path,
      { grant_type: 'client_credentials', token: CANARY, [CANARY]: CANARY },
      basic(CANARY, CANARY),
    ),
    postForm(service, path, { token: CANARY }, bearer(CANARY)),
    postForm(service, path, { token: CANARY }, { 'x-api-key': CANARY }),
    postForm(service, path, { token: CANARY }, { 'x-api-key': CANARY, ...basic('user', CANARY) }),
    postForm(service, path, `${FORM['content-type']}=${query}&%zz`),
    send(service, { method: 'POST', path, headers: { 'content-type': `text/${CANARY}` }, body: CANARY }),
    get(service, `${path}?client_secret=${query}`),
    get(service, `${path}?${query}=x`, { 'x-api-key': CANARY }),
    get(service, `${path}?cursor=${query}&agent_id=${query}`, { authorization: CANARY }),
    get(service, `${path}/${query}`, { 'x-request-id': CANARY, cookie: CANARY }),
  ])
}

test('a secret in any place of a request is in no error body and no log line', async () => {
  for (const path of PATHS) {
    for (const answer of await sendCanaries(path)) {
      assertAbsent(CANARY, answer.text)
      assertAbsent(CANARY, JSON.stringify(answer.headers))
    }
  }
  assert.match(service.log(), /"msg":"refused"/)
  assertAbsent(CANARY, service.log())
})

test('a secret that was pasted as a client id is not in the counts of refused authentications', async () => {
  for (const path of PATHS) await sendCanaries(path)
  await service.settle()
  const rows = readRows(service.storeFile, 'select way, client, source from refused')
  assert.ok(rows.length > 0, 'the rows that are searched are there')
  assertAbsent(CANARY, JSON.stringify(rows))
})

test('the secrets, keys and tokens of good requests are in no log line', async () => {
  const token = await issue(service, agent)
  await introspect(service, apiKey.key, token)
  await revoke(service, token)
  const jwt = await service.provider.operatorJwt()
  await postForm(service, '/oauth/revoke', { token }, bearer(jwt))
  assert.match(service.log(), /"msg":"revocation"/)
  for (const secret of [token, jwt, apiKey.key, agent.clientSecret]) assertAbsent(secret, service.log())
})

test('a fault on the way leaves no secret in its log line', async () => {
  let isDown = false
  const orFail = <T>(work: () => Promise<T>): Promise<T> =>
    isDown ? Promise.reject(new Unavailable('The store did not answer.')) : work()
  const broken = await startServer({
    break: ports => ({
      ...ports,
      ledger: {
        ...ports.ledger,
        insert: tokens => orFail(() => ports.ledger.insert(tokens)),
        find: addresses => orFail(() => ports.ledger.find(addresses)),
      },
    }),
  })
  try {
    const other = await broken.createAgent()
    const { key } = await broken.createApiKey('tokens:introspect')
    const token = await issue(broken, other)
    isDown = true
    const answers = [await askToken(broken, other), await introspect(broken, key, token), await revoke(broken, token)]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [503, 503, 503],
    )
    for (const answer of answers)
      for (const secret of [other.clientSecret, key, token]) assertAbsent(secret, answer.text)
    assert.match(broken.log(), /"msg":"unavailable"/)
    for (const secret of [other.clientSecret, key, token]) assertAbsent(secret, broken.log())
  } finally {
    await broken.close()
  }
})
