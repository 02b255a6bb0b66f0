// On whose behalf tokens act: what --subject takes, what commands for tokens print of a subject of an issuer, and what is asked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { claimsOf, issue } from '../../../../testkit/callers/requests.ts'
import { type Ended, makeFolder, runAside, scopeOfFile } from '../../../../testkit/commands/run-mintmark.ts'
import { makeForPrincipals } from '../../../../testkit/services/for-principals.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { EXIT } from '../../../src/cli/terminal/exit.ts'

const principals = makeForPrincipals()
const service = useService({ break: principals.inFront })
const scope = scopeOfFile()
const agent = service.agent({ name: 'assistant', owner: 'Ada' })
const limited = service.apiKey('tokens:read')

const COLON = 'repo:org/app:ref:main'

let folder = ''
let key = ''
let own: string
let alice: string
let build: string

service.before(async () => {
  folder = makeFolder(scope)
  const body = { name: 'reader', permissions: ['tokens:read', 'agents:read'] }
  const made = await call(service, { method: 'POST', path: '/api/v1/api-keys', body }, await admin(service))
  key = String((made.json as Record<string, unknown>)['api_key'])
  const trusted = await principals.trustIssuers(service)
  const issueFor = async (sub: string): Promise<string> => {
    const whom = trusted.find(({ shown }) => shown.sub === sub)
    assert.ok(whom !== undefined)
    return String(claimsOf(await principals.issueFor(service, agent, whom))['jti'])
  }
  own = String(claimsOf(await issue(service, agent))['jti'])
  alice = await issueFor('alice')
  build = await issueFor(COLON)
})

const ask = (args: readonly string[], apiKey = key): Promise<Ended> =>
  runAside(folder, ['token', ...args, '--url', service.origin], { variables: { MINTMARK_API_KEY: apiKey } })

const idsBy = async (subject: string, command = 'list'): Promise<readonly unknown[]> => {
  const { status, stdout, stderr } = await ask([command, '--json', '--subject', subject])
  assert.equal(status, 0, stderr)
  return (JSON.parse(stdout) as { readonly data: readonly { readonly id: string }[] }).data.map(({ id }) => id)
}

const TAKEN = 'No agent that is listed has this id or name: it is taken for a subject of an issuer.\n'

test('--subject takes an agent by its id, its name or the beginning of either, and ALIAS:SUB', async () => {
  for (const [text, id] of [
    [agent.agentId, own],
    [agent.agentId.toUpperCase(), own],
    ['assistant', own],
    ['assist', own],
    [agent.agentId.slice(0, 13), own],
    ['acme:alice', alice],
    [`acme:${COLON}`, build],
    ['=acme:alice', alice],
    [`=${agent.agentId}`, own],
  ] as const)
    assert.deepEqual(await idsBy(text), [id], text)
  assert.deepEqual(await idsBy('acme:alice', 'history'), [])
  assert.deepEqual(await idsBy(`nobody:${'~'.repeat(255)}`), [])
  const exported = await ask(['export', '--subject', 'acme:alice'])
  assert.deepEqual([(JSON.parse(exported.stdout) as Record<string, unknown>)['id'], exported.stderr], [alice, TAKEN])
  const counted = await ask(['list', '--count', '--json', '--subject', '=acme:alice'])
  assert.deepEqual([JSON.parse(counted.stdout), counted.stderr], [{ count: 1, exact: true }, ''])
})

test('an agent that is called as a subject is meant by its whole name alone, and = before it means the subject', async () => {
  const named = await service.createAgent({ name: 'acme:alice', owner: 'Eve' })
  await service.createAgent({ name: `acme:${COLON}:nightly` })
  const held = String(claimsOf(await issue(service, named))['jti'])
  assert.deepEqual(await idsBy('acme:alice'), [held])
  const { stderr } = await ask(['list', '--subject', 'acme:alice'])
  const line = `By this name: ${named.agentId}  acme:alice  (owner Eve)\n`
  assert.equal(stderr, `${line}=ALIAS:SUB is always the subject of the issuer.\n`)
  assert.deepEqual(await idsBy('=acme:alice'), [alice])
  assert.deepEqual(await idsBy(`acme:${COLON}`), [build])
  assert.equal((await ask(['list', '--subject', `acme:${COLON}`])).stderr, TAKEN)
})

test('what is neither is refused with what is expected, and is not repeated', async () => {
  for (const text of ['mmc_secret', 'none:', 'Acme:alice', `acme:${'~'.repeat(256)}`]) {
    const { status, stdout, stderr } = await ask(['list', '--subject', text])
    const expected =
      'mintmark: No agent has this id or name, or one that opens so: `mintmark agent list` shows them. A subject of an issuer is given as ALIAS:SUB.\n'
    assert.deepEqual([status, stdout, stderr], [EXIT.usage, '', expected])
  }
  const { status, stderr } = await ask(['list', '--subject', '=alice'])
  assert.deepEqual(
    [status === 0, /subject is not the id of an agent, or ALIAS:SUB/.test(stderr)],
    [false, true],
    stderr,
  )
})

test('a caller who may not list agents names a subject all the same, and an agent by its whole id', async () => {
  for (const text of [agent.agentId, 'acme:alice', '=acme:alice'])
    assert.equal((await ask(['list', '--subject', text], limited.key)).status, 0, text)
  const { status, stderr } = await ask(['list', '--subject', 'assistant'], limited.key)
  assert.deepEqual([status, /To find the agent by anything but its whole id/.test(stderr)], [EXIT.usage, true], stderr)
})

test('people see ALIAS:SUB and its issuer with the token, and in a list where one acts for a subject of an issuer', async () => {
  const shown = /^subject +acme:alice \(https:\/\/idp\.example\)$/m
  for (const command of ['show', 'explain']) assert.match((await ask([command, alice])).stdout, shown)
  const { stdout: listed } = await ask(['list', '--subject', '=acme:alice'])
  const [heading = '', row = ''] = listed.split('\n')
  assert.match(heading, /  expires_at +subject$/)
  assert.match(row, /  acme:alice \(https:\/\/idp\.example\)$/)
  assert.match((await ask(['lineage', build])).stdout, new RegExp(`  acme:${COLON} \\(https://idp\\.example\\)$`, 'm'))
  const { stdout: plain } = await ask(['list', '--subject', agent.agentId])
  assert.match(plain.split('\n')[0] ?? '', /  expires_at$/)
})
