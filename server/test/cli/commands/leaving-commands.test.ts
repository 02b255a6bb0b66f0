// A person leaves: what a program whose API key has tokens:revoke alone does by commands.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { introspect, issue } from '../../../../testkit/callers/requests.ts'
import { type Ended, makeFolder, runAside, scopeOfFile } from '../../../../testkit/commands/run-mintmark.ts'
import { makeForPrincipals } from '../../../../testkit/services/for-principals.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import type { TestPrincipal } from '../../../../testkit/stores/principals.ts'
import { EXIT } from '../../../src/cli/terminal/exit.ts'

const principals = makeForPrincipals()
const service = useService({ break: principals.inFront })
const scope = scopeOfFile()
const agent = service.agent({ name: 'assistant' })
const leaver = service.apiKey('tokens:revoke')
const introspector = service.apiKey('tokens:introspect')

const BUILD = 'repo:org/app:ref:main'

let folder = ''
let trusted: readonly TestPrincipal[] = []

service.before(async () => {
  folder = makeFolder(scope)
  trusted = await principals.trustIssuers(service)
})

const ask = (...args: readonly string[]): Promise<Ended> =>
  runAside(folder, [...args, '--url', service.origin], { variables: { MINTMARK_API_KEY: leaver.key } })

const issueFor = (alias: string, sub: string): Promise<string> => {
  const whom = trusted.find(({ shown }) => shown.issuer === alias && shown.sub === sub)
  assert.ok(whom !== undefined)
  return principals.issueFor(service, agent, whom)
}

/** Of the agent for itself, and for three subjects. */
const issueAll = async (): Promise<readonly string[]> => [
  await issue(service, agent),
  await issueFor('acme', 'alice'),
  await issueFor('acme', BUILD),
  await issueFor('acme-two', 'alice'),
]

const isActive = async (token: string): Promise<boolean> =>
  ((await introspect(service, introspector.key, token)).json as { readonly active: boolean }).active

/** A command that asks says this first; which of the four tokens live after it. */
const assertEnds = async (args: readonly string[], sentence: string, expected: readonly boolean[]): Promise<void> => {
  const tokens = await issueAll()
  const asked = await ask(...args)
  const line = `mintmark: ${sentence} If that is meant, run it again with --yes.\n`
  assert.deepEqual([asked.status, asked.stderr], [EXIT.usage, line])
  const { status, stderr } = await ask(...args, '--yes')
  assert.equal(status, 0, stderr)
  assert.deepEqual(await Promise.all(tokens.map(isActive)), expected)
  // Those that live must not count for the next.
  const rest = await ask('revocation', 'create', '--agent', agent.agentId, '--yes')
  assert.equal(rest.status, 0, rest.stderr)
}

const CREATE = ['revocation', 'create']

test('revocation create --subject ends what acts for that subject of that issuer', () =>
  assertEnds(
    [...CREATE, '--subject', `acme:${BUILD}`, '--scope', 'db:read'],
    `This ends every token with scope db:read for subject acme:${BUILD}: 1 alive now.`,
    [true, true, false, true],
  ))

test('revocation create --issuer ends what acts for any subject of that issuer', () =>
  assertEnds([...CREATE, '--issuer', 'acme'], 'This ends every token for subjects of issuer acme: 2 alive now.', [
    true,
    false,
    false,
    true,
  ]))

test('revocation create refuses a subject that is no ALIAS:SUB before it asks anybody', async () => {
  const { status, stderr } = await ask(...CREATE, '--subject', 'alice', '--yes')
  assert.equal(status, EXIT.usage)
  assert.match(stderr, /Expected ALIAS:SUB, a subject of a trusted issuer\.\n$/)
})

test('subject block ends what acts for that subject, and its key can neither unblock nor list', async () => {
  await assertEnds(
    ['subject', 'block', 'acme:alice'],
    'This refuses the JWTs of acme:alice until it is unblocked. Tokens that end: 1 alive now.',
    [true, false, true, true],
  )
  for (const args of [
    ['unblock', 'acme:alice'],
    ['list', 'acme'],
  ]) {
    const { status, stderr } = await ask('subject', ...args)
    assert.equal(status, EXIT.unauthorized, stderr)
  }
})
