// Every command that shows an agent shows its name and owner too: a table of all commands, in which a new one is missed.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { PERMISSIONS } from '../../../../api/values/access.ts'
import { idOf, issue, makeBoth, startServing } from '../../../../testkit/commands/serving.ts'
import { scopeOfFile } from '../../../../testkit/commands/run-mintmark.ts'
import { makeProgram } from '../../../src/cli/program.ts'

const serving = await startServing({ after })
const { url, json } = serving

type Agent = Parameters<typeof issue>[1]
type Line = readonly string[] | { readonly args: readonly string[]; readonly input: string }

const leavesOf = (command: Command, path: readonly string[] = []): readonly string[] =>
  command.commands.length === 0
    ? [path.join(' ')]
    : command.commands.flatMap(one => leavesOf(one, [...path, one.name()]))

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

const createNamed = (name: string, ...settings: readonly string[]): Agent => {
  const scopes = ['--scope', 'db:read', '--default-scope', 'db:read']
  return json('agent', 'create', '--name', name, ...scopes, ...settings) as Agent
}

const OWNED = ['--owner', 'Ada']

const POLL_MS = 50

/** A refused authentication is in the store a moment after its answer. */
const untilRefused = async (id: string): Promise<void> => {
  const listed = () => json('audit', 'refusals', '--client-id', id) as { readonly data: readonly unknown[] }
  while (listed().data.length === 0) await delay(POLL_MS)
}

const scope = scopeOfFile()

const makeWorld = async () => {
  const { runThere, elsewhere } = makeBoth(scope, serving, ...PERMISSIONS)
  const agent = createNamed('reports', ...OWNED)
  const id = agent.agent_id
  const relay = createNamed('relay', ...OWNED, '--grant-type', EXCHANGE, '--acts-for', 'reports', '--receives', url)
  const tokenOf = async (): Promise<string> => String((await issue(serving, agent)).body['access_token'])
  const exchange = async (): Promise<string> => {
    const type = 'urn:ietf:params:oauth:token-type:access_token'
    const subject = { grant_type: EXCHANGE, subject_token: await tokenOf(), subject_token_type: type }
    const body = new URLSearchParams({ ...subject, client_id: relay.client_id, client_secret: relay.client_secret })
    const answer = (await (await fetch(`${url}/oauth/token`, { method: 'POST', body })).json()) as object
    return String(Object.entries(answer).find(([name]) => name === 'access_token')?.[1])
  }
  const exchanged = await exchange()
  const ended = idOf(await tokenOf())
  json('token', 'revoke', ended, '--yes')
  const { id: revocation } = json('revocation', 'create', '--agent', id, '--scope', 'db:admin', '--yes') as {
    id: string
  }
  const wrong = await issue(serving, { ...agent, client_secret: 'mmc_wrong' })
  assert.equal(wrong.status, 401)
  await untilRefused(id)
  const { credential_id: second } = json('credential', 'create', id, '--name', 'second') as { credential_id: string }
  writeFileSync(
    join(elsewhere, 'clients.json'),
    JSON.stringify([
      { client_id: 'orders', client_name: 'weekly reports', owner: 'Ada', grant_types: ['client_credentials'] },
    ]),
  )
  const names = { agent_name: 'reports', owner: 'Ada' }
  const act = { n: 1, at: '2026-11-21T09:30:00.000Z', kind: 'agent.disable', subject: id, detail: {}, ...names }
  writeFileSync(join(elsewhere, 'audit.ndjson'), `${JSON.stringify(act)}\n`)
  return { id, exchanged, live: idOf(await tokenOf()), text: await tokenOf(), ended, revocation, second, runThere }
}

let world: Awaited<ReturnType<typeof makeWorld>>

before(async () => {
  world = await makeWorld()
})

/** In the order in which they run; what ends something stands at the end. */
const SHOWN: Readonly<Record<string, (given: typeof world) => Line>> = {
  'agent list': () => [],
  'agent show': ({ id }) => [id],
  'agent delegation': () => ['relay'],
  'agent change': ({ id }) => [id, '--description', 'of sales'],
  'credential show': ({ id, second }) => [id, second],
  top: () => [],
  'token list': ({ id }) => ['--agent', id],
  'token history': ({ id }) => ['--agent', id],
  'token show': ({ ended }) => [ended],
  'token explain': ({ ended }) => [ended],
  'token lineage': ({ exchanged }) => [idOf(exchanged)],
  'token introspect': ({ text }) => ({ args: ['-'], input: text }),
  'revocation create': ({ id }) => ['--agent', id, '--scope', 'db:admin', '--yes'],
  'revocation show': ({ revocation }) => [revocation],
  'audit list': ({ id }) => ['--subject', id],
  'audit refusals': ({ id }) => ['--client-id', id],
  'leaked-secrets': ({ text }) => ({ args: ['--dry-run'], input: text }),
  'import hydra': () => ['clients.json', '--scope', 'db:read', '--dry-run'],
  'token revoke': ({ live }) => [live, '--yes'],
  'credential revoke': ({ id, second }) => [id, second, '--yes'],
  'restore replay': () => ['audit.ndjson', '--since', '2026-11-21', '--yes'],
  'agent disable': ({ id }) => [id, '--yes'],
  'agent enable': ({ id }) => [id],
  'agent delete': ({ id }) => [id, '--yes'],
}

const SECRET = 'prints a new secret at once'
const OF_THE_STORE = 'is about the store or the service'
const FILE = 'writes records as the API has them'

/** Why the others show none. */
const NOT_SHOWN: Readonly<Record<string, string>> = {
  'agent create': SECRET,
  'credential create': SECRET,
  'credential rotate': SECRET,
  'credential list': 'lists what the agent has that its argument names',
  'import keycloak': 'is import hydra for another document',
  'token get': 'prints the token alone',
  apply: 'says what becomes of agents by the names in its files',
  'export agents': FILE,
  usage: 'shows uses a second later: use-commands.test.ts tries its names',
  'token export': FILE,
  'token export-history': FILE,
  'audit export': FILE,
  'restore accept': 'prints counts; its question is tried beside',
  ...Object.fromEntries(
    [
      'api-key create',
      'api-key list',
      'api-key show',
      'api-key rotate',
      'api-key revoke',
      'verifier list',
      'settings',
      'session list',
      'session end',
      'issuer create',
      'issuer list',
      'issuer show',
      'issuer change',
      'issuer disable',
      'issuer enable',
      'issuer delete',
      'subject block',
      'subject unblock',
      'subject list',
      'key list',
      'key show',
      'key rotate',
      'key retire',
      'key compromise',
      'key import',
      'key reencrypt',
      'audit verify',
      'stats',
      'dev',
      'serve',
      'migrate',
      'dev-token',
      'migrate-store',
      'backup to',
      'backup verify',
      'restore from',
      'restore epoch',
      'restore status',
      'doctor',
      'clock reset',
      'completion',
    ].map(path => [path, OF_THE_STORE]),
  ),
}

/** A name, and behind it the owner, whatever stands between them in a table, a record or a sentence. */
const NAMED = /\breports(?:\s+(?:active|ended|-)?\s*(?:owner\s+)?|, owner )Ada\b|^name +reports$[^]*^owner +Ada$/m

test('every command is known to show an agent or not', async () => {
  const known = [...Object.keys(SHOWN), ...Object.keys(NOT_SHOWN)]
  assert.deepEqual(known.toSorted(), leavesOf(await makeProgram([])).toSorted())
})

test('the subject and the actors of a token are named, and who may act for whom', async () => {
  const { exchanged, runThere } = world
  const of = (name: string) => String.raw`[0-9a-f-]{36} \(${name}, owner Ada\)`
  const shown = await runThere(['token', 'show', idOf(exchanged)])
  assert.match(shown.stdout, /^subject +[0-9a-f-]{36} \(reports\)$/m)
  assert.match(shown.stdout, /^actor_names +relay$/m)
  const { stdout } = await runThere(['token', 'introspect', '-'], exchanged)
  assert.match(stdout, new RegExp(`^sub +${of('reports')}$`, 'm'))
  assert.match(stdout, new RegExp(`^client_id +${of('relay')}$`, 'm'))
  const relay = await runThere(['agent', 'show', 'relay'])
  assert.match(relay.stdout, new RegExp(`^acts_for +${of('reports')}$`, 'm'))
})

for (const [path, lineOf] of Object.entries(SHOWN)) {
  test(`mintmark ${path} shows the name and the owner of an agent`, async () => {
    const line = lineOf(world)
    const { args, input } = 'args' in line ? line : { args: line, input: '' }
    const { status, stdout, stderr } = await world.runThere([...path.split(' '), ...args], input)
    assert.equal(status, 0, stderr)
    assert.match(stdout, NAMED)
  })
}
