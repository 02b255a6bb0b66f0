// mintmark audit list --subject with a token: the act that ended it, on itself, on what it hangs on, or on all of the store.
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { createAgent, idOf, issue, makeBoth, startServing } from '../../../../testkit/commands/serving.ts'
import { freePorts, KEY, makeFolder, run, serveVariables, start } from '../../../../testkit/commands/run-mintmark.ts'
import { findEnd } from '../../../src/cli/audit.ts'
import type { Api } from '../../../src/cli/remote/api.ts'
import { openBeside } from '../../../../testkit/stores/store-file.ts'

const serving = await startServing({ after })
const { json } = serving

type Act = { readonly kind: string; readonly subject: string | null }

const actsIn = (stdout: string): readonly Act[] => (JSON.parse(stdout) as { data: Act[] }).data

type Token = Readonly<Record<'agent_id' | 'credential_id' | 'kid', string>>

/** What ends a token, each by the kind of its act. */
const ENDS: Readonly<Record<string, (id: string, token: Token) => unknown>> = {
  'agent.change': (_id, { agent_id }) =>
    json('agent', 'change', agent_id, '--scope', 'db:write', '--default-scope', 'db:write', '--yes'),
  'agent.delete': (_id, { agent_id }) => json('agent', 'delete', agent_id, '--note', 'gone', '--yes'),
  'agent.disable': (_id, { agent_id }) => json('agent', 'disable', agent_id, '--yes'),
  'credential.revoke': (_id, { agent_id, credential_id }) =>
    json('credential', 'revoke', agent_id, credential_id, '--yes'),
  'revocation.create': (_id, { agent_id }) => json('revocation', 'create', '--agent', agent_id, '--yes'),
  // One in 64 begins with a hyphen.
  'signing_key.compromise': (_id, { kid }) =>
    run(serving.folder, ['key', 'compromise', '--yes', '--', kid], { MINTMARK_KEY_ENCRYPTION_KEY: KEY }),
  'token.revoke': id => json('token', 'revoke', id, '--yes'),
}

test('the act that ended a token is found by its id or its text, also where it was on something else', async t => {
  const { both } = makeBoth(t, serving, 'tokens:read', 'audit:read')
  for (const [kind, end] of Object.entries(ENDS)) {
    const text = String((await issue(serving, createAgent(serving))).body['access_token'])
    const id = idOf(text)
    end(id, json('token', 'show', id) as Token)
    for (const [subject, input] of [
      [id, ''],
      ['-', text],
    ] as const) {
      for (const { stdout, stderr } of await both(['audit', 'list', '--subject', subject, '--json'], input)) {
        assert.deepEqual(
          actsIn(stdout).map(act => act.kind),
          [kind],
          stderr,
        )
      }
    }
    const [exported] = await both(['audit', 'export', '--subject', id])
    assert.equal((JSON.parse(exported.stdout) as Act).kind, kind)
  }
})

const ISSUED = ['--scope', 'db:read', '--default-scope', 'db:read']

/** A store that nobody serves, in which a token is active; its folder and the id of the token. */
const makeStopped = async (t: TestContext) => {
  const folder = makeFolder(t)
  const [port] = await freePorts()
  const variables = serveVariables(port)
  run(folder, ['migrate'], variables)
  const running = await start(t, folder, { args: ['serve'], variables, ready: /another audience\.\n/ })
  const made = run(folder, ['agent', 'create', '--name', 'reports', ...ISSUED, '--json'], variables)
  const agent = JSON.parse(made.stdout) as Parameters<typeof issue>[1]
  const { body } = await issue({ ...serving, url: `http://127.0.0.1:${port}` }, agent)
  await running.stop()
  return { folder, variables, id: idOf(body['access_token']) }
}

const carryAhead = (folder: string): void => {
  const db = openBeside(join(folder, '.mintmark/mintmark.db'))
  db.exec('update service set clock_lease = clock_lease + 3600000')
  db.close()
}

test('what ended every token of the store is found too: a restore, and a reset of the clock, whose entry is of another time', async t => {
  const { folder, variables, id } = await makeStopped(t)
  const copy = makeFolder(t)
  cpSync(folder, copy, { recursive: true })
  carryAhead(folder)
  let shown = ''
  for (const [place, kind, ...command] of [
    [copy, 'store.restore', 'restore', 'epoch'],
    [folder, 'clock.reset', 'clock', 'reset'],
  ] as const) {
    const ended = run(place, [...command, '--yes'], variables)
    assert.equal(ended.status, 0, ended.stderr)
    const { stdout, stderr } = run(place, ['audit', 'list', '--subject', id, '--json'], variables)
    assert.equal(stderr, '')
    shown = stdout
    assert.deepEqual(
      actsIn(stdout).map(act => [act.kind, act.subject]),
      [[kind, null]],
    )
  }
  // The same again, later: the token is of its own reset.
  carryAhead(folder)
  assert.equal(run(folder, ['clock', 'reset', '--yes'], variables).status, 0)
  assert.equal(run(folder, ['audit', 'list', '--subject', id, '--json'], variables).stdout, shown)
})

test('of an end without an entry of the audit log it says why there is none', async t => {
  const { both } = makeBoth(t, serving, 'tokens:read', 'audit:read')
  const limits = ['--live-tokens-max', '1', '--at-live-tokens-max', 'supersede']
  const agent = json('agent', 'create', '--name', 'one at a time', ...ISSUED, ...limits) as Parameters<typeof issue>[1]
  const first = idOf((await issue(serving, agent)).body['access_token'])
  await issue(serving, agent)
  for (const { status, stdout } of await both(['audit', 'list', '--subject', first])) {
    assert.equal(status, 0)
    assert.match(stdout, /\nThe token was superseded: its agent got another one at its limit of live tokens\./)
  }
  const ended_at = '2026-11-21T09:30:00.000Z'
  const call = () => Promise.resolve({ id: first, ended_at, termination_reason: 'expired', data: [] })
  const expired = await findEnd({ call } as unknown as Api, first)
  assert.deepEqual(expired, { remark: 'The token expired: nobody ended it.' })
})

test('other filters hold too: an act outside of the times that are asked for is not shown', async t => {
  const { runHere } = makeBoth(t, serving, 'tokens:read')
  const token = String((await issue(serving, createAgent(serving))).body['access_token'])
  json('token', 'revoke', idOf(token), '--yes')
  const shown = async (...filters: readonly string[]): Promise<number> => {
    const { stdout } = await runHere(['audit', 'list', '--subject', idOf(token), '--json', ...filters])
    return actsIn(stdout).length
  }
  assert.equal(await shown('--since', '1h', '--before', '2099-01-01'), 1)
  for (const [option = '', value = ''] of [
    ['--since', '2099-01-01'],
    ['--before', '1h'],
    ['--kind', 'agent.disable'],
  ])
    assert.equal(await shown(option, value), 0, option)
})

test('a token that lives has no act that ended it', async t => {
  const { runHere } = makeBoth(t, serving, 'tokens:read')
  const token = String((await issue(serving, createAgent(serving))).body['access_token'])
  const { stdout, status } = await runHere(['audit', 'list', '--subject', idOf(token), '--json'])
  assert.deepEqual([status, actsIn(stdout)], [0, []])
})
