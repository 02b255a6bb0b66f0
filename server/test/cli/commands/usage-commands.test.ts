// mintmark top and mintmark stats, run as a person runs them where nobody looks at a terminal.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import packageJson from '../../../package.json' with { type: 'json' }
import { askToken, issue } from '../../../../testkit/callers/requests.ts'
import { KEY, makeFolder, run, runAside } from '../../../../testkit/commands/run-mintmark.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const service = useService()
const agent = service.agent({ name: 'runaway\u202e', owner: 'Ada' })
const reader = service.apiKey('tokens:read')

const EXPIRING = ['expires_at', 'kind', 'name', 'agent_name', 'last_used_at', 'id']

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
  const gone = await ask('--once')
  assert.deepEqual([gone.status, gone.stdout], [2, ''])
  assert.match(gone.stderr, /unknown option '--once'/)
})

test('stats prints the state of a service, and whether it is ready', async t => {
  const folder = makeFolder(t)
  const ask = (...args: readonly string[]) =>
    runAside(folder, ['stats', '--url', service.origin, ...args], { variables: { MINTMARK_API_KEY: reader.key } })
  const { status, stdout, stderr } = await ask('--json')
  assert.equal(status, 0, stderr)
  const shown = JSON.parse(stdout) as Readonly<Record<string, unknown>>
  assert.deepEqual([shown['ready'], shown['version'], shown['agents']], [true, packageJson.version, 1])
  assert.match(
    (await ask()).stdout,
    /^ready +true\nchecks +\d+ ok\n[\s\S]*^signing_keys +current: 0\.0 days next: 0\.0 days$/m,
  )
  const refused = await runAside(folder, ['stats', '--url', service.origin], {
    variables: { MINTMARK_API_KEY: 'mma_x' },
  })
  assert.equal(refused.status, 4)
})

test('stats --over prints a table of each minute or hour, of all agents or of one', async t => {
  const folder = makeFolder(t)
  const other = await service.createAgent({ name: 'other' })
  await issue(service, other)
  await service.settle()
  const ask = (...args: readonly string[]) =>
    runAside(folder, ['stats', '--url', service.origin, ...args], { variables: { MINTMARK_API_KEY: reader.key } })
  const { status, stdout, stderr } = await ask('--over', '1h', '--agent', other.agentId)
  assert.equal(status, 0, stderr)
  const lines = stdout.trimEnd().split('\n')
  assert.match(lines[0] ?? '', /^from +issued +refused +active +inactive +ended$/)
  assert.deepEqual([lines.length, lines.slice(1).filter(line => /Z +1 +0 +0 +0 +-$/.test(line)).length], [62, 1])
  const { point_seconds: seconds } = JSON.parse((await ask('--over', '24h', '--json')).stdout) as Record<
    string,
    unknown
  >
  assert.equal(seconds, 3600)
  assert.deepEqual([(await ask('--over', '7d')).status, (await ask('--agent', other.agentId)).status], [2, 2])
})

test('stats --expiring lists what expires within a week', async t => {
  const folder = makeFolder(t)
  const ask = (...args: readonly string[]) =>
    runAside(folder, ['stats', '--url', service.origin, '--expiring', ...args], {
      variables: { MINTMARK_API_KEY: reader.key },
    })
  const { status, stdout } = await ask()
  assert.deepEqual([status, stdout.trimEnd().split(/ +/)], [0, EXPIRING])
  assert.equal((await ask('--json')).stdout, '{"data":[]}\n')
  assert.deepEqual([(await ask('--over', '1h')).status, (await ask('--agent', agent.agentId)).status], [2, 2])
})

test('top --refused prints what was refused by agent and reason, then the limits with what changes them', async t => {
  const folder = makeFolder(t)
  const limited = await service.createAgent({ name: 'limited', tokensPerMinute: 1 })
  await issue(service, limited)
  for (let n = 0; n < 2; n += 1) await askToken(service, limited)
  await askToken(service, limited, { scope: 'no:such' })
  await service.settle()
  const ask = (...args: readonly string[]) =>
    runAside(folder, ['top', '--url', service.origin, ...args], { variables: { MINTMARK_API_KEY: reader.key } })
  const { status, stdout, stderr } = await ask('--refused', '24h')
  assert.equal(status, 0, stderr)
  const [heading = '', first = '', second = '', empty, limits = '', limit = ''] = stdout.split('\n')
  assert.match(heading, /^count +reason +status +last_at +agent_id +name$/)
  assert.match(first, /^2 +tokens_per_minute +429 +\S+Z +[0-9a-f-]{36} +limited$/)
  assert.match(second, /^1 +invalid_scope +400 +\S+Z +[0-9a-f-]{36} +limited$/)
  assert.equal(empty, '')
  assert.match(limits, /^count +reason +status +last_at +settings$/)
  assert.match(limit, /^2 +tokens_per_minute +429 +\S+Z +tokens_per_minute$/)
  const shown = JSON.parse((await ask('--refused', '1h', '--limit', '1', '--json')).stdout) as Record<string, unknown[]>
  assert.deepEqual([shown['data']?.length, shown['limits']?.length], [1, 1])
  assert.equal((await ask('--refused', '2h')).status, 2)
})

test('both show the store of this machine, without a service', t => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY }).status, 0)
  assert.equal(run(folder, ['agent', 'create', '--name', 'one', '--scope', 'db:read']).status, 0)
  const top = run(folder, ['top', '--json'])
  assert.deepEqual([top.status, top.stdout], [0, '{"data":[]}\n'])
  assert.equal(run(folder, ['top', '--refused', '1h', '--json']).stdout, '{"data":[],"limits":[]}\n')
  const stats = JSON.parse(run(folder, ['stats', '--json']).stdout) as Readonly<Record<string, unknown>>
  assert.deepEqual([stats['ready'], stats['agents'], ...RATES.map(name => stats[name])], [null, 1, 0, 0, 0, 0, 0])
})

const AT = '2026-11-21T09:30:00.000Z'

/** A service whose health is this, and whose state no command looks at any closer. */
const startUnwell = async (status: number, health: object) => {
  const server = createServer((request, response) => {
    const isHealth = request.url === '/readyz?verbose=true'
    const body = isHealth ? health : { at: AT, live_tokens_at: AT, version: '0.1.0' }
    response.writeHead(isHealth ? status : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

const FINE = { name: 'check', check: 'clock', status: 'ok' }
const FULL = { name: 'check', check: 'disk_space', status: 'warning', reason: 'The disk is\u202e full.' }
const GONE = { name: 'identity_provider', issuer: 'https://login.example.com', status: 'stale', reason: 'Not reached.' }

test('stats shows each check of the service that is not ok, also where it is not ready', async t => {
  const folder = makeFolder(t)
  for (const [code, status, store] of [
    [200, 'ok', { name: 'store', status: 'ok' }],
    [503, 'unavailable', { name: 'store', status: 'unavailable', reason: 'The disk is read-only.' }],
  ] as const) {
    const components = [store, FINE, FULL, GONE, { name: 'forwarded_address', status: 'ignored' }]
    const unwell = await startUnwell(code, { status, components })
    t.after(unwell.close)
    const ask = (...args: readonly string[]) =>
      runAside(folder, ['stats', '--url', unwell.url, ...args], { variables: { MINTMARK_API_KEY: 'mma_x' } })
    const shown = await ask()
    const isReady = code === 200
    assert.deepEqual([shown.status, /is not ready/.test(shown.stderr)], [isReady ? 0 : 5, !isReady], shown.stderr)
    const faults = shown.stdout
      .split('\n\n')[1]
      ?.split('\n')
      .map(line => line.split(/ {2,}/))
    assert.deepEqual(faults, [
      ['component', 'status', 'reason'],
      ...(isReady ? [] : [['store', 'unavailable', 'The disk is read-only.']]),
      ['disk_space', 'warning', 'The disk is\\u202e full.'],
      ['identity_provider https://login.example.com', 'stale', 'Not reached.'],
      [''],
    ])
    assert.match(shown.stdout, isReady ? /^checks +3 ok, 2 not$/m : /^checks +2 ok, 3 not$/m)
    assert.deepEqual((JSON.parse((await ask('--json')).stdout) as { components: unknown }).components, components)
  }
})
