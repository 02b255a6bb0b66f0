// POST /api/v1/leaked-secrets of texts that hold more than one secret or token, or something else beside it.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { admin, call, type Headers } from '../../../../testkit/callers/administration.ts'
import { type Answer, assertProblem, introspect, issue } from '../../../../testkit/callers/requests.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const PATH = '/api/v1/leaked-secrets'

const service = useService()
const introspector = service.apiKey('tokens:introspect')
let headers: Headers
let agent: AgentOfTest

beforeEach(async () => {
  headers = await admin(service)
  agent = await service.createAgent()
})

const report = (body: unknown, query = ''): Promise<Answer> =>
  call(service, { method: 'POST', path: `${PATH}${query}`, body }, headers)

const results = (answer: Answer): unknown => (answer.json as { data: { result: string }[] }).data.map(x => x.result)

test('a text with several secrets or tokens of ours is refused by name, and nothing of the report is revoked', async () => {
  const second = await service.createAgent()
  const { key } = await service.createApiKey('tokens:read')
  const [token, later] = [await issue(service, agent), await issue(service, second)]
  const [a, b] = [agent.clientSecret, second.clientSecret]
  const broken = `${later.slice(0, 76)}\n${later.slice(76)}`
  for (const text of [
    `A=${a}\nB=${b}`,
    `${a}${b}`,
    `${a} ${key}`,
    `${token}\n${later}`,
    `SECRET=${a}\nTOKEN=${token}`,
    `{"access_token":"${token}","client_secret":"${a}"}`,
    `${a}\n${broken}`,
    `${token}\n${broken}`,
  ]) {
    const body = [{ token: a }, { token: text }]
    for (const refused of [await report(body), await report(body, '?dry_run=true')]) {
      const several =
        'Secret 2 of the report holds several secrets or tokens: report each by itself. Nothing was revoked.'
      assertProblem(refused, 400, 'invalid_request', several)
    }
  }
  for (const live of [token, later]) {
    assert.equal(((await introspect(service, introspector.key, live)).json as { active: boolean }).active, true)
  }
  for (const one of [agent, second]) await issue(service, one)
})

test('a secret or token of ours is found beside what cannot be ours, and where it stands twice', async () => {
  const second = await service.createAgent()
  const [token, later] = [await issue(service, agent), await issue(service, second)]
  const foreign = `eyJhbGciOiJFUzI1NiJ9.${Buffer.from('{"iss":"https://elsewhere.example"}').toString('base64url')}.${'c'.repeat(86)}`
  const { clientSecret } = agent
  const found = [
    `# ${token}\nANON_KEY=${foreign}`,
    `Bearer ${later} of mmc_${'x'.repeat(24)}`,
    `# CLIENT_SECRET=mmc_${'x'.repeat(24)}\nCLIENT_SECRET=${clientSecret}\nANON_KEY=${foreign}\n# was ${clientSecret}`,
  ]
  const answer = await report(found.map(one => ({ token: one })))
  assert.deepEqual(results(answer), ['revoked', 'revoked', 'revoked'], answer.text)
})
