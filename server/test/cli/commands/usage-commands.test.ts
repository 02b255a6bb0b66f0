// mintmark top and mintmark stats, run as a person runs them where nobody looks at a terminal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import packageJson from '../../../package.json' with { type: 'json' }
import { issue } from '../../../../testkit/callers/requests.ts'
import { KEY, makeFolder, run, runAside } from '../../../../testkit/commands/run-mintmark.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const service = useService()
const agent = service.agent({ name: 'runaway\u202e', owner: 'Ada' })
const reader = service.apiKey('tokens:read')

const RATES = ['tokens_last_minute', 'tokens_last_hour', 'tokens_last_day', 'refusals', 'failed_authentications']

test('top prints one table of the agents of a service, the one with the most tokens first', async t => {
  const folder = makeFolder(t)
  for (let n = 0; n < 3; n += 1) await issue(service, agent)
  await service.settle()
  const ask = (...args: readonly string[]) =>
    runAside(folder, ['top', '--url', service.origin, ...args], { variables: { MINTMARK_API_KEY: reader.key } })
  const { status, stdout, stderr } = await ask()
  assert.equal(status, 0, stderr)
  const [heading = '', line = ''] = stdout.split('\n')
  assert.match(
    heading,
    /^tokens_last_minute +tokens_last_hour +tokens_last_day +live_tokens +refusals +last_issued_at +agent_id +name +state +owner$/,
  )
  assert.match(line, /^3 +3 +3 +3 +0 +\S+Z +[0-9a-f-]{36} +runaway\\u202e +active +Ada$/)
  const asked = await ask('--json', '--limit', '1')
  const { data } = JSON.parse(asked.stdout) as { data: readonly { agent_id: string }[] }
  assert.deepEqual(
    data.map(({ agent_id: id }) => id),
    [agent.agentId],
  )
  assert.equal((await ask('--limit', '1001')).status, 2)
})

test('stats prints the state of a service, and whether it is ready', async t => {
  const folder = makeFolder(t)
  const ask = (...args: readonly string[]) =>
    runAside(folder, ['stats', '--url', service.origin, ...args], { variables: { MINTMARK_API_KEY: reader.key } })
  const { status, stdout, stderr } = await ask('--json')
  assert.equal(status, 0, stderr)
  const shown = JSON.parse(stdout) as Readonly<Record<string, unknown>>
  assert.deepEqual([shown['ready'], shown['version'], shown['agents']], [true, packageJson.version, 1])
  assert.match((await ask()).stdout, /^ready +true$[\s\S]*^signing_keys +current: 0\.0 days$/m)
  const refused = await runAside(folder, ['stats', '--url', service.origin], {
    variables: { MINTMARK_API_KEY: 'mma_x' },
  })
  assert.equal(refused.status, 4)
})

test('both show the store of this machine, without a service', t => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY }).status, 0)
  assert.equal(run(folder, ['agent', 'create', '--name', 'one', '--scope', 'db:read']).status, 0)
  const top = run(folder, ['top', '--json'])
  assert.deepEqual([top.status, top.stdout], [0, '{"data":[]}\n'])
  const stats = JSON.parse(run(folder, ['stats', '--json']).stdout) as Readonly<Record<string, unknown>>
  assert.deepEqual([stats['ready'], stats['agents'], ...RATES.map(name => stats[name])], [null, 1, 0, 0, 0, 0, 0])
})
