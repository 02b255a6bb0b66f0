// mintmark agent …, run as a person runs it.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { KEY, makeFolder, run, runAlone } from '../../../../testkit/commands/run-mintmark.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const NOBODY = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'

const makeStore = (t: TestContext): string => {
  const folder = makeFolder(t)
  const { status, stderr } = run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY })
  assert.equal(status, 0, stderr)
  return folder
}

const create = (folder: string, name: string, ...options: readonly string[]) =>
  run(folder, ['agent', 'create', '--name', name, '--scope', 'db:read db:write', ...options])

const createdId = (folder: string, name: string): string => {
  const { agent_id } = JSON.parse(create(folder, name, '--json').stdout) as { agent_id: string }
  return agent_id
}

const YES: Readonly<Record<string, readonly string[]>> = { disable: ['--yes'], delete: ['--yes'] }

const assertRefused = (ended: ReturnType<typeof run>, status: number, message: RegExp): void => {
  assert.equal(ended.status, status, ended.stderr)
  assert.equal(ended.stdout, '')
  assert.match(ended.stderr, message)
}

test('agent create --json prints exactly the id, the client id, which is the same, and the secret', t => {
  const folder = makeStore(t)
  const { status, stdout, stderr } = create(folder, 'reports', '--json')
  assert.equal(status, 0, stderr)
  const printed = JSON.parse(stdout) as Record<string, string>
  assert.deepEqual(Object.keys(printed), ['agent_id', 'client_id', 'client_secret'])
  assert.match(printed['agent_id'] ?? '', UUID)
  assert.equal(printed['client_id'], printed['agent_id'])
  assert.match(printed['client_secret'] ?? '', /^mmc_[0-9A-Za-z]{43,}$/)
})

test('agent show --json prints the agent as it was configured, and no secret', t => {
  const folder = makeStore(t)
  const options = ['--default-scope', 'db:read', '--resource', 'https://a.example', '--resource', 'https://b.example']
  const more = ['--default-audience', 'https://a.example', '--lifetime-seconds', '60', '--json']
  const limits = ['--tokens-per-minute', '60', '--tokens-per-day', '5000', '--live-tokens-max', '10']
  const ceiling = ['--at-live-tokens-max', 'supersede']
  const marks = ['--description', 'monthly figures', '--owner', 'data', '--label', 'team=a=b', '--label', 'env=prod']
  const { agent_id } = JSON.parse(
    create(folder, 'reports', ...options, ...limits, ...ceiling, ...marks, ...more).stdout,
  ) as {
    agent_id: string
  }
  const { created_at, ...shown } = JSON.parse(run(folder, ['agent', 'show', agent_id, '--json']).stdout) as {
    created_at: string
  }
  assert.match(created_at, /^\d{4}-\d\d-\d\dT.*Z$/)
  assert.deepEqual(shown, {
    agent_id,
    client_id: agent_id,
    name: 'reports',
    description: 'monthly figures',
    owner: 'data',
    labels: { env: 'prod', team: 'a=b' },
    scope: 'db:read db:write',
    default_scope: 'db:read',
    resources: ['https://a.example', 'https://b.example'],
    default_audience: 'https://a.example',
    lifetime_seconds: 60,
    tokens_per_minute: 60,
    tokens_per_day: 5000,
    live_tokens_max: 10,
    at_live_tokens_max: 'supersede',
    dpop_bound_access_tokens: false,
    tls_client_certificate_bound_access_tokens: false,
    grant_types: ['client_credentials'],
    acts_for: [],
    receives: [],
    issuer_clients: {},
    claims: {},
    expires_at: null,
    managed_by: null,
    disabled_at: null,
    suspended_at: null,
  })
})

test('agent list shows every agent by name', t => {
  const folder = makeStore(t)
  for (const name of ['b', 'a']) createdId(folder, name)
  const { data } = JSON.parse(run(folder, ['agent', 'list', '--json']).stdout) as { data: { name: string }[] }
  assert.deepEqual(
    data.map(({ name }) => name),
    ['a', 'b'],
  )
  assert.match(
    run(folder, ['agent', 'list']).stdout,
    /^agent_id +name +owner +scope +disabled_at +suspended_at\n\S+ +a +- +db:read db:write +- +-\n/,
  )
})

test('agent disable and enable change the agent, and doing either twice changes nothing more', t => {
  const folder = makeStore(t)
  const id = createdId(folder, 'reports')
  const act = (verb: string) =>
    (
      JSON.parse(run(folder, ['agent', verb, id, '--note', verb, '--json', ...(YES[verb] ?? [])]).stdout) as {
        disabled_at: string | null
      }
    ).disabled_at
  const disabledAt = act('disable')
  assert.match(disabledAt ?? '', /Z$/)
  assert.equal(act('disable'), disabledAt)
  assert.equal(act('enable'), null)
  assert.equal(act('enable'), null)
  const { data } = JSON.parse(run(folder, ['audit', 'list', '--subject', id, '--json']).stdout) as {
    readonly data: readonly { readonly kind: string; readonly note: string | null }[]
  }
  assert.deepEqual(
    data.map(({ kind, note }) => [kind, note]),
    [
      ['agent.enable', 'enable'],
      ['agent.disable', 'disable'],
      ['agent.create', null],
    ],
  )
})

test('a name that another agent has is refused', t => {
  const folder = makeStore(t)
  createdId(folder, 'reports')
  assertRefused(
    create(folder, 'reports'),
    1,
    /^mintmark: An agent named reports exists already; choose another name\.\n$/,
  )
})

const REFUSED: readonly (readonly [string, readonly string[], RegExp])[] = [
  [
    'a scope that is none',
    ['--name', 'x', '--scope', 'read'],
    /^mintmark: scope is not 1 to 16 items of the form resource:action/,
  ],
  [
    'a default beyond the scope',
    ['--name', 'x', '--scope', 'a:b', '--default-scope', 'a:c'],
    /The default scope holds a:c, which the scope does not allow/,
  ],
  ['a default with a pattern', ['--name', 'x', '--scope', 'a:*', '--default-scope', 'a:*'], /default_scope is not/],
  [
    'a relative resource',
    ['--name', 'x', '--scope', 'a:b', '--resource', 'api'],
    /resources has one that is neither an absolute URI/,
  ],
  [
    'a default audience with a fragment',
    ['--name', 'x', '--scope', 'a:b', '--default-audience', 'https://a#b'],
    /default_audience is not/,
  ],
  ['a lifetime of 0', ['--name', 'x', '--scope', 'a:b', '--lifetime-seconds', '0'], /from 1 to 86400/],
  ['a lifetime over a day', ['--name', 'x', '--scope', 'a:b', '--lifetime-seconds', '86401'], /from 1 to 86400/],
  ['a name of spaces', ['--name', '  ', '--scope', 'a:b'], /name is not 1 to 100 printable characters/],
  ['a name too long', ['--name', 'x'.repeat(101), '--scope', 'a:b'], /name is not/],
  ['an owner too long', ['--name', 'x', '--scope', 'a:b', '--owner', 'x'.repeat(101)], /owner is not 1 to 100/],
  [
    'a description too long',
    ['--name', 'x', '--scope', 'a:b', '--description', 'x'.repeat(1001)],
    /description is not 1 to 1000/,
  ],
  ['a label without a value', ['--name', 'x', '--scope', 'a:b', '--label', 'a='], /labels\.a is not/],
  [
    'a label that opens with a dot',
    ['--name', 'x', '--scope', 'a:b', '--label', '.a=b'],
    /labels has a key that is not/,
  ],
]

test('what an agent cannot be is refused with one line and status 1, and leaves no agent', t => {
  const folder = makeStore(t)
  for (const [title, options, message] of REFUSED) {
    const ended = run(folder, ['agent', 'create', ...options])
    assert.equal(ended.status, 1, title)
    assert.match(ended.stderr, message, title)
    assert.equal(ended.stderr.trimEnd().split('\n').length, 1, title)
  }
  assert.deepEqual(JSON.parse(run(folder, ['agent', 'list', '--json']).stdout), { data: [] })
})

test('an id that no agent has is refused by every verb; what is no id is not repeated', t => {
  const folder = makeStore(t)
  for (const verb of ['show', 'change', 'disable', 'enable', 'delete']) {
    const yes = YES[verb] ?? []
    const reported = new RegExp(`^mintmark: No agent has the id ${NOBODY}\\.`)
    assertRefused(run(folder, ['agent', verb, NOBODY, ...yes]), 1, reported)
    const noId = run(folder, ['agent', verb, 'mmc_x', ...yes])
    assertRefused(
      noId,
      2,
      /^mintmark: No agent has this id or name, or one that opens so: `mintmark agent list` shows them\./,
    )
  }
})

test('wrong usage ends with status 2', t => {
  const folder = makeFolder(t)
  const usages: readonly (readonly string[])[] = [
    ['agent', 'create', '--name', 'x'],
    ['agent', 'create', '--name', 'x', '--scope', 'a:b', '--lifetime-seconds', 'soon'],
    ['agent', 'create', '--name', 'x', '--scope', 'a:b', '--colour', 'red'],
    ['agent', 'create', '--name', 'x', '--scope', 'a:b', '--label', 'team'],
    ['agent', 'list', '--disabled', '--enabled'],
    ['agent', 'change'],
    ['agent', 'show'],
    ['agent', 'paint'],
    ['paint'],
    [],
  ]
  for (const usage of usages) {
    const ended = run(folder, usage)
    assert.equal(ended.status, 2, usage.join(' '))
    assert.notEqual(ended.stderr, '')
    assert.equal(ended.stdout, '')
  }
})

test('of an option with keys the same key twice is wrong usage, and the line names the key', t => {
  const folder = makeStore(t)
  const usages: readonly (readonly string[])[] = [
    ['agent', 'create', '--name', 'x', '--scope', 'a:b', '--label', 'k=1', '--label', 'o=1', '--label', 'k=2'],
    ['agent', 'change', NOBODY, '--yes', '--label', 'k=1', '--label', 'k=1'],
    ['agent', 'list', '--label', 'k=1', '--label', 'k=2'],
    ['import', 'keycloak', '-', '--scope-map', 'k=a:b', '--scope-map', 'k=c:d'],
  ]
  for (const usage of usages) {
    const { status, stderr } = run(folder, usage)
    assert.equal(status, 2, usage.join(' '))
    assert.match(
      stderr,
      /'--[a-z-]+ <[a-z]+=[a-z]+>' argument 'k=\S+' is invalid\. k is there already: give each key one value\./,
    )
  }
})

test('help and version end with status 0', t => {
  const folder = makeFolder(t)
  assert.match(runAlone(folder, ['--version']).stdout, /^\d+\.\d+\.\d+\n$/)
  const { status, stdout } = runAlone(folder, ['agent', 'create', '--help'])
  assert.equal(status, 0)
  assert.match(stdout, /\nExample:\n {2}mintmark agent create/)
})

test('without a store the commands name mintmark migrate', t => {
  assertRefused(
    runAlone(makeFolder(t), ['agent', 'list']),
    1,
    /^mintmark: .*mintmark\.db does not exist: run 'mintmark migrate' first\.\n$/,
  )
})

test('a mistake in the configuration is refused by its variable', t => {
  const ended = run(makeFolder(t), ['agent', 'list'], { MINTMARK_DATADIR: 'x' })
  assertRefused(
    ended,
    1,
    /^mintmark: MINTMARK_DATADIR is not a variable of this version; expected perhaps MINTMARK_DATA_DIR\n$/,
  )
})
