// The filters of mintmark token list, token history and their exports: each option is one parameter of the API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimsOf, issue, revoke } from '../../../../testkit/callers/requests.ts'
import { makeFolder, run, runAside } from '../../../../testkit/commands/run-mintmark.ts'
import { EXIT } from '../../../src/cli/terminal/exit.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const service = useService()
const agent = service.agent({ name: 'harvest', owner: 'Grace', labels: { team: 'data', env: 'live' } })
const reader = service.apiKey('tokens:read')

test('each filter finds the token while it lives and once it has ended, and its opposite finds nothing', async t => {
  const folder = makeFolder(t)
  const idsIn = async (command: readonly string[], filter: readonly string[]): Promise<readonly unknown[]> => {
    const args = ['token', ...command, '--url', service.origin, ...filter]
    const { status, stdout, stderr } = await runAside(folder, args, { variables: { MINTMARK_API_KEY: reader.key } })
    assert.equal(status, 0, stderr)
    if (command[0] !== 'export') return (JSON.parse(stdout) as { data: { id: string }[] }).data.map(({ id }) => id)
    return stdout.split('\n').flatMap(line => (line === '' ? [] : [(JSON.parse(line) as { id: string }).id]))
  }
  await issue(service, await service.createAgent())
  const token = await issue(service, agent, { resource: 'https://one.example' })
  const { jti } = claimsOf(token)
  const none = '0198d4c2-5d7c-4b7a-9c3e-1f2a3b4c5d6e'
  const filters: readonly (readonly [found: readonly string[], none: readonly string[]])[] = [
    [
      ['--owner', 'Grace'],
      ['--owner', 'Ada'],
    ],
    [
      ['--label', 'team=data', '--label', 'env=live'],
      ['--label', 'team=data', '--label', 'env=test'],
    ],
    [
      ['--agent-name', 'harvest'],
      ['--agent-name', 'harv'],
    ],
    [
      ['--audience', 'https://one.example'],
      ['--audience', 'https://two.example'],
    ],
    [
      ['--owner', 'Grace', '--agent', agent.agentId],
      ['--credential', none],
    ],
  ]
  for (const [found, missed] of filters)
    assert.deepEqual([await idsIn(['list', '--json'], found), await idsIn(['list', '--json'], missed)], [[jti], []])
  assert.deepEqual(await idsIn(['export'], ['--owner', 'Grace']), [jti])
  await revoke(service, token)
  for (const [found] of filters) assert.deepEqual(await idsIn(['history', '--json'], found), [jti])
  assert.deepEqual(await idsIn(['history', '--json'], ['--revocation', none]), [])
})

test('what people try to get a whole list leads to the command that writes it', t => {
  const folder = makeFolder(t)
  const tries: readonly (readonly [string, string])[] = [
    ['token list --csv', 'token export'],
    ['token history --format csv', 'token export-history'],
    ['audit list --output log.csv', 'audit export'],
  ]
  for (const [given, command] of tries) {
    const { status, stderr } = run(folder, given.split(' '))
    const line = `mintmark: This prints a page. The whole list as a file: mintmark ${command} --format csv\n`
    assert.deepEqual([status, stderr], [EXIT.usage, line])
  }
})
