// The commands of docs/agents/delegation.md, run as they stand there.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { NO_CURL } from '../../../../testkit/processes/find-program.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { blocksOf } from '../../../../testkit/sources/markdown.ts'
import { readText } from '../../../../testkit/sources/source-files.ts'

type Body = Readonly<Record<string, unknown>>

const run = promisify(execFile)

const COMMANDS = blocksOf(readText('docs/agents/delegation.md'))
  .filter(({ language }) => language === 'sh')
  .map(({ code }) => code)

const service = useService()

test('the commands of docs/agents/delegation.md exchange a token, show who acts for whom, and end both with the first', {
  skip: NO_CURL,
}, async () => {
  const first = await service.createAgent({ defaultAudience: service.baseUrl })
  const writer = await service.createApiKey('agents:write')
  const introspector = await service.createApiKey('tokens:introspect')
  assert.equal(COMMANDS.length, 4)
  const script = COMMANDS.join('\n').replaceAll(
    '/oauth/introspect/v2" -H "X-API-Key: $ADMIN_API_KEY"',
    '/oauth/introspect/v2" -H "X-API-Key: $INTROSPECTOR"',
  )
  const { stdout, stderr } = await run('sh', ['-eu', '-c', `${script}\necho "$SEARCH_ID"`], {
    env: {
      PATH: process.env['PATH'],
      BASE_URL: service.baseUrl,
      AGENT_ID: first.agentId,
      CLIENT_ID: first.clientId,
      CLIENT_SECRET: first.clientSecret,
      ADMIN_API_KEY: writer.key,
      INTROSPECTOR: introspector.key,
    },
  })
  assert.equal(stderr, '')
  const [before = '', revoked, after, searchId] = stdout.trim().split('\n')
  const { active, sub, client_id, act, aud } = JSON.parse(before) as Body
  assert.deepEqual([active, sub, client_id, act], [true, first.agentId, searchId, { sub: searchId }])
  assert.equal(aud, 'https://index.example.com')
  assert.deepEqual([revoked, after], ['{}', '{"active":false}'])
})
