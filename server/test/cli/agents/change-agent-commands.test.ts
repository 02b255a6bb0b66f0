// mintmark agent change, delete and the filters of list, run as a person runs them.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { KEY, makeFolder, run, type Variables } from '../../../../testkit/commands/run-mintmark.ts'

const BASE_URL = { MINTMARK_BASE_URL: 'https://auth.example.com' }

const makeStore = (t: TestContext): string => {
  const folder = makeFolder(t)
  const { status, stderr } = run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY })
  assert.equal(status, 0, stderr)
  return folder
}

const create = (folder: string, name: string, ...options: readonly string[]): string => {
  const args = ['agent', 'create', '--name', name, '--scope', 'db:read db:write', '--json', ...options]
  const { stdout, stderr } = run(folder, args)
  assert.equal(stderr, '')
  return (JSON.parse(stdout) as { agent_id: string }).agent_id
}

/** What a command prints with --json, or the test fails. */
const reported = (folder: string, args: readonly string[], variables: Variables = {}): Record<string, unknown> => {
  const { status, stdout, stderr } = run(folder, [...args, '--json'], variables)
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout) as Record<string, unknown>
}

const SETTINGS = ['--default-scope', 'db:read', '--resource', 'https://a.example', '--default-audience']
const MARKS = ['--description', 'figures', '--owner', 'data', '--label', 'team=a', '--label', 'env=prod']

test('agent change changes what is named and leaves the rest, and prints the agent', t => {
  const folder = makeStore(t)
  const id = create(folder, 'reports', ...SETTINGS, 'https://a.example', '--lifetime-seconds', '60', ...MARKS)
  const before = reported(folder, ['agent', 'show', id])
  const options = ['--name', 'figures', '--label', 'team=b', '--remove-label', 'env', '--lifetime-seconds', '90']
  const after = reported(folder, ['agent', 'change', id, ...options])
  assert.deepEqual(after, { ...before, name: 'figures', labels: { team: 'b' }, lifetime_seconds: 90 })
  assert.deepEqual(reported(folder, ['agent', 'show', id]), after)
  assert.match(run(folder, ['agent', 'change', id]).stdout, /^labels +team=b$/m)
})

for (const member of ['dpop_bound_access_tokens', 'tls_client_certificate_bound_access_tokens']) {
  test(`${member}: an agent is made to need it when it is created or later, and freed of it`, t => {
    const folder = makeStore(t)
    const option = member.replaceAll('_', '-')
    const id = create(folder, 'reports', `--${option}`)
    const shown = (record: Record<string, unknown>) => record[member]
    assert.equal(shown(reported(folder, ['agent', 'show', id])), true)
    assert.match(run(folder, ['agent', 'show', id]).stdout, new RegExp(`^${member} +true$`, 'm'))
    assert.equal(shown(reported(folder, ['agent', 'change', id, '--name', 'figures'])), true)
    assert.equal(shown(reported(folder, ['agent', 'change', id, `--no-${option}`])), false)
    assert.equal(shown(reported(folder, ['agent', 'change', id, `--${option}`])), true)
  })
}

test('agent change --no-… clears what may be none', t => {
  const folder = makeStore(t)
  const id = create(folder, 'reports', ...SETTINGS, 'https://a.example', '--lifetime-seconds', '60', ...MARKS)
  const before = reported(folder, ['agent', 'show', id])
  const names = ['default-scope', 'resource', 'default-audience', 'lifetime-seconds', 'description', 'owner', 'label']
  const cleared = reported(folder, ['agent', 'change', id, ...names.map(name => `--no-${name}`), '--yes'], BASE_URL)
  assert.deepEqual(cleared, {
    ...before,
    description: null,
    owner: null,
    labels: {},
    default_scope: null,
    resources: [],
    default_audience: null,
    lifetime_seconds: null,
  })
})

test('agent change sets and clears the limits, and refuses one that is none', t => {
  const folder = makeStore(t)
  const id = create(folder, 'reports', '--tokens-per-minute', '60', '--live-tokens-max', '5')
  const before = reported(folder, ['agent', 'show', id])
  const set = ['--tokens-per-day', '900', '--at-live-tokens-max', 'supersede', '--no-tokens-per-minute']
  const after = reported(folder, ['agent', 'change', id, ...set, '--no-live-tokens-max'])
  const limits = {
    tokens_per_minute: null,
    tokens_per_day: 900,
    live_tokens_max: null,
    at_live_tokens_max: 'supersede',
  }
  assert.deepEqual(after, { ...before, ...limits })
  assert.equal(reported(folder, ['agent', 'change', id, '--no-tokens-per-day'])['tokens_per_day'], null)
  for (const wrong of [
    ['--tokens-per-day', 'many'],
    ['--at-live-tokens-max', 'wait'],
    ['--live-tokens-max', '0'],
  ]) {
    assert.notEqual(run(folder, ['agent', 'change', id, ...wrong]).status, 0)
  }
})

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

test('agent create and change say for whom it may act, and confirm what a narrowing would end', t => {
  const folder = makeStore(t)
  const granted = [
    '--grant-type',
    'client_credentials',
    EXCHANGE,
    '--receives',
    'https://a.example',
    'https://b.example',
  ]
  const id = create(folder, 'server', ...granted, '--acts-for', 'label:team=data', '*')
  const before = reported(folder, ['agent', 'show', id])
  assert.deepEqual(before['grant_types'], ['client_credentials', EXCHANGE])
  assert.deepEqual(before['acts_for'], ['label:team=data', '*'])
  assert.deepEqual(before['receives'], ['https://a.example', 'https://b.example'])
  const harmless = reported(folder, ['agent', 'change', id, '--acts-for', '*'])
  assert.deepEqual(harmless, { ...before, acts_for: ['*'] })
  for (const options of [
    ['--no-acts-for'],
    ['--receives', 'https://a.example'],
    ['--grant-type', 'client_credentials'],
  ]) {
    const unconfirmed = run(folder, ['agent', 'change', id, ...options])
    assert.equal(unconfirmed.status, 2)
    assert.match(unconfirmed.stderr, /ends tokens of agent \S+ \(server\) \(actor_removed\): 0 alive now\./)
  }
  const narrowed = reported(folder, ['agent', 'change', id, '--no-acts-for', '--no-receives', '--yes'])
  assert.deepEqual(narrowed, { ...before, acts_for: [], receives: [] })
  const own = reported(folder, ['agent', 'change', id, '--grant-type', EXCHANGE])
  assert.deepEqual(own, { ...narrowed, grant_types: [EXCHANGE] })
})

test('agent create and change name subjects of issuers, and client ids there: all of these are replaced', t => {
  const folder = makeStore(t)
  for (const alias of ['acme', 'globex']) {
    const issuer = `https://${alias}.example`
    const named = ['--alias', alias, '--issuer', issuer, '--jwks-uri', `${issuer}/jwks`]
    const { status, stderr } = run(folder, ['issuer', 'create', ...named, '--type', 'id_token', '--scope', 'db:*'])
    assert.equal(status, 0, stderr)
  }
  const entries = ['issuer:acme', 'issuer:globex:repo:org/app']
  const clients = ['--issuer-client', 'globex=a=b', '--issuer-client', 'acme=relay']
  const id = create(folder, 'relay', '--acts-for', ...entries, ...clients)
  const before = reported(folder, ['agent', 'show', id])
  assert.deepEqual(before['acts_for'], entries)
  assert.deepEqual(before['issuer_clients'], { acme: 'relay', globex: 'a=b' })
  const shown = run(folder, ['agent', 'show', id]).stdout
  assert.match(shown, /^acts_for +issuer:acme issuer:globex:repo:org\/app$/m)
  assert.match(shown, /^issuer_clients +acme=relay globex=a=b$/m)
  const change = (options: readonly string[], variables: Variables = {}) =>
    reported(folder, ['agent', 'change', id, '--yes', ...options], variables)['issuer_clients']
  assert.deepEqual(change(['--name', 'other']), before['issuer_clients'])
  assert.deepEqual(change(['--issuer-client', 'globex=c']), { globex: 'c' })
  assert.deepEqual(change(['--no-issuer-client']), {})

  const twice = run(folder, ['agent', 'change', id, ...['a', 'b'].flatMap(one => ['--issuer-client', `acme=${one}`])])
  assert.deepEqual([twice.status, twice.stderr.includes('acme is there already')], [2, true], twice.stderr)
  const operators = { MINTMARK_IDP_AUDIENCE: 'https://operators.example' }
  for (const options of [
    ['--issuer-client', 'acme=https://operators.example'],
    ['--receives', 'https://operators.example'],
  ]) {
    const refused = run(folder, ['agent', 'change', id, ...options], operators)
    assert.equal(refused.status, 1)
    assert.match(refused.stderr, /is the audience of the operators' JWTs, MINTMARK_IDP_AUDIENCE/)
  }
  // Without the setting the audience is not known at the terminal.
  assert.deepEqual(change(['--issuer-client', 'acme=https://operators.example']), { acme: 'https://operators.example' })
})

test('agent create and change set own claims as JSON: all of them are replaced', t => {
  const folder = makeStore(t)
  const names = { MINTMARK_CLAIM_NAMES: 'roles,tenant_id,type' }
  const claims = { 'https://a.example/x?y=z': '3', roles: ['reader', 'writer'] }
  const id = create(folder, 'claimant', '--claims', '{"https://a.example/x?y=z":"3"}')
  const change = (options: readonly string[]) => reported(folder, ['agent', 'change', id, ...options], names)['claims']
  assert.deepEqual(change(['--claims', JSON.stringify(claims)]), claims)
  assert.match(
    run(folder, ['agent', 'show', id]).stdout,
    /^claims +{"https:\/\/a\.example\/x\?y=z":"3","roles":\["reader","writer"\]}$/m,
  )
  assert.deepEqual(change(['--name', 'other']), claims)
  assert.deepEqual(change(['--claims', '{"tenant_id":"acme"}']), { tenant_id: 'acme' })
  for (const [text, status, message] of [
    ...['{"tenant_id":', 'null', 'false', '[]', ''].map(
      wrong => [wrong, 2, /--claims <json>.*Expected an object of JSON\./] as const,
    ),
    ['{"tenant_id":"a","tenant_id":"b"}', 1, /tenant_id/],
    ['{"sub":"x"}', 1, /claims\.sub has a meaning of its own/],
    ['{"level":3}', 1, /MINTMARK_CLAIM_NAMES/],
  ] as const) {
    const refused = run(folder, ['agent', 'change', id, '--claims', text], names)
    assert.equal(refused.status, status, refused.stderr)
    assert.match(refused.stderr, message)
  }
  change(['--claims', '{"roles":"x","type":"system"}'])
  assert.match(run(folder, ['agent', 'show', id]).stdout, /^claims +{"roles":"x","type":"system"}$/m)
  assert.deepEqual(change(['--no-claims']), {})
})

test('a change that hangs on the default audience of the service names the variable that sets it', t => {
  const folder = makeStore(t)
  const id = create(folder, 'reports', '--resource', 'https://a.example', 'https://b.example')
  const narrow = ['agent', 'change', id, '--resource', 'https://a.example', '--yes']
  const { status, stdout, stderr } = run(folder, narrow)
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^mintmark: .* set MINTMARK_BASE_URL or MINTMARK_DEFAULT_AUDIENCE as the service has it\.\n$/)
  assert.deepEqual(reported(folder, narrow, { MINTMARK_DEFAULT_AUDIENCE: 'https://c.example' })['resources'], [
    'https://a.example',
  ])
})

test('what an agent cannot become is refused with one line and status 1, and changes nothing', t => {
  const folder = makeStore(t)
  const id = create(folder, 'reports', '--default-scope', 'db:read')
  create(folder, 'taken')
  const before = reported(folder, ['agent', 'show', id])
  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [['--name', 'taken'], /^mintmark: An agent named taken exists already; choose another name\.\n$/],
    [['--scope', 'db:write'], /^mintmark: The default scope holds db:read, which the scope does not allow\.\n$/],
    [['--scope', 'db'], /^mintmark: scope is not 1 to 16 items/],
    [['--lifetime-seconds', '0'], /from 1 to 86400/],
    [['--name', ''], /^mintmark: name is not/],
  ]
  for (const [options, message] of refusals) {
    const { status, stdout, stderr } = run(folder, ['agent', 'change', id, ...options, '--yes'])
    assert.deepEqual([status, stdout], [1, ''], options.join(' '))
    assert.match(stderr, message)
  }
  assert.deepEqual(reported(folder, ['agent', 'show', id]), before)
})

test('agent delete asks for --yes, then removes the agent and frees its name', t => {
  const folder = makeStore(t)
  const id = create(folder, 'reports')
  const unconfirmed = run(folder, ['agent', 'delete', id])
  assert.equal(unconfirmed.status, 2)
  assert.match(
    unconfirmed.stderr,
    /^mintmark: This removes the agent .* ends every token that it holds: 0 alive now\..*run it again with --yes\.\n$/,
  )
  const ends = { tokens: 0, descendants: 0, descendant_agents: [], exact: true, reasons: ['agent_deleted'] }
  assert.deepEqual(reported(folder, ['agent', 'delete', id, '--dry-run']), { dry_run: true, ends })
  assert.match(
    run(folder, ['agent', 'delete', id, '--dry-run']).stdout,
    /^A dry run: nothing is done\. This removes the agent .*\nTokens that would end: 0\n/,
  )
  assert.equal(reported(folder, ['agent', 'show', id])['name'], 'reports')
  assert.deepEqual(reported(folder, ['agent', 'delete', id, '--yes']), { agent_id: id })
  assert.equal(run(folder, ['agent', 'show', id]).status, 1)
  assert.equal(run(folder, ['agent', 'delete', id, '--yes']).status, 1)
  assert.notEqual(create(folder, 'reports'), id)
})

test('agent list takes filters and a search', t => {
  const folder = makeStore(t)
  const a = create(folder, 'api a', '--owner', 'data', '--label', 'team=x', '--label', 'env=prod')
  create(folder, 'api b', '--owner', 'web', '--label', 'team=x')
  const c = create(folder, 'c')
  reported(folder, ['agent', 'disable', c, '--yes'])
  const names = (...options: readonly string[]) =>
    (reported(folder, ['agent', 'list', ...options])['data'] as { name: string }[]).map(({ name }) => name)
  assert.deepEqual(names(), ['api a', 'api b', 'c'])
  assert.deepEqual(names('--disabled'), ['c'])
  assert.deepEqual(names('--enabled'), ['api a', 'api b'])
  assert.deepEqual(names('--owner', 'web'), ['api b'])
  assert.deepEqual(names('--label', 'team=x', '--label', 'env=prod'), ['api a'])
  assert.deepEqual(names('--grant-type', EXCHANGE), [])
  assert.deepEqual(names('--grant-type', 'client_credentials', '--enabled'), ['api a', 'api b'])
  assert.deepEqual(names('--name-prefix', 'api'), ['api a', 'api b'])
  assert.deepEqual(names('--search', a), ['api a'])
  assert.deepEqual(names('--search', 'api b'), ['api b'])
  assert.deepEqual(names('--search', 'PI'), ['api a', 'api b'])
  assert.deepEqual(names('--search', 'dat'), ['api a'])
  assert.deepEqual(names('--search', 'prod'), ['api a'])
  assert.deepEqual(names('--id-prefix', a.slice(0, -1)), ['api a'])
})

test('a record for people has the members that have a value, also one that reads like none', t => {
  const folder = makeStore(t)
  const { stdout } = run(folder, ['agent', 'show', create(folder, 'dash', '--description', '-')])
  assert.match(stdout, /^description +-$/m)
  assert.doesNotMatch(stdout, /^(?:owner|labels|disabled_at)\b/m)
})
