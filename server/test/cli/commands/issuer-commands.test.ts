// mintmark issuer …, run as a person runs it.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { KEY, makeFolder, run } from '../../../../testkit/commands/run-mintmark.ts'

const BASE_URL = 'https://tokens.example'

const makeWorld = (t: TestContext) => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY }).status, 0)
  const issuer = (...args: readonly string[]) => run(folder, ['issuer', ...args], { MINTMARK_BASE_URL: BASE_URL })
  const json = (...args: readonly string[]): Readonly<Record<string, unknown>> => {
    const { status, stdout, stderr } = issuer(...args, '--json')
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout) as Readonly<Record<string, unknown>>
  }
  return { issuer, json }
}

const NEW = ['create', '--alias', 'entra', '--issuer', 'https://login.example/tid/v2.0', '--scope', 'db:read', '--type']

const DEFAULTS = {
  alias: 'entra',
  issuer: 'https://login.example/tid/v2.0',
  subject_claim: 'sub',
  require: {},
  jwks_uri: null,
  algorithms: ['RS256', 'PS256', 'ES256', 'ES384', 'Ed25519'],
  token_types: ['id_token'],
  parties: [],
  scope: 'db:read',
  resources: ['*'],
  lifetime_seconds: 300,
  disabled_at: null,
  suspended_at: null,
  managed_by: null,
}

const ALL = [
  '--subject-claim oid --require tid=b2=d8 --require hd=example.com --jwks-uri https://login.example/keys',
  '--algorithm RS256 --algorithm ES256 --party web --party cli --resource https://api.example --lifetime-seconds 60',
].flatMap(line => line.split(' '))

test('issuer create: what is not given is the default of the API, and every option is taken', t => {
  const { json } = makeWorld(t)
  const { created_at, ...shown } = json(...NEW, 'id_token')
  assert.match(String(created_at), /Z$/)
  assert.deepEqual(shown, DEFAULTS)
  json('delete', 'entra', '--yes')
  const { created_at: _created, ...full } = json(
    ...NEW.with(2, 'full'),
    'jwt',
    '--type',
    'id-jag',
    ...ALL.with(3, 'tid=x'),
  )
  assert.deepEqual(full, {
    ...DEFAULTS,
    alias: 'full',
    subject_claim: 'oid',
    require: { tid: 'x', hd: 'example.com' },
    jwks_uri: 'https://login.example/keys',
    algorithms: ['RS256', 'ES256'],
    token_types: ['jwt', 'id-jag'],
    parties: ['web', 'cli'],
    resources: ['https://api.example'],
    lifetime_seconds: 60,
  })
})

test('issuer change names what changes, and --no-… clears; issuer list and show print it', t => {
  const { issuer, json } = makeWorld(t)
  json(...NEW, 'jwt', ...ALL)
  assert.partialDeepStrictEqual(json('change', 'entra', '--scope', 'db:write', '--type', 'access_token'), {
    require: { tid: 'b2=d8', hd: 'example.com' },
    scope: 'db:write',
    token_types: ['access_token'],
    parties: ['web', 'cli'],
    jwks_uri: 'https://login.example/keys',
  })
  const changed = json('change', 'entra', '--no-party', '--no-jwks-uri')
  assert.partialDeepStrictEqual(changed, { parties: [], jwks_uri: null, scope: 'db:write' })
  assert.deepEqual(json('show', 'entra'), changed)
  assert.deepEqual(json('list'), { data: [changed] })
  assert.match(issuer('list').stdout, /entra +https:\/\/login\.example\/tid\/v2\.0/)
})

test('issuer disable, enable and delete: --dry-run does nothing, without --yes nobody is asked at a pipe, and a deleted one is gone', t => {
  const { issuer, json } = makeWorld(t)
  json(...NEW, 'id_token')
  const dry = issuer('disable', 'entra', '--dry-run')
  assert.match(dry.stdout, /^A dry run: nothing is done\. This refuses the JWTs of the issuer entra from now on\./)
  assert.equal(json('show', 'entra')['disabled_at'], null)
  assert.equal(issuer('disable', 'entra').status, 2)
  assert.match(String(json('disable', 'entra', '--yes')['disabled_at']), /Z$/)
  assert.partialDeepStrictEqual(json('enable', 'entra'), { disabled_at: null, changed: true })
  assert.deepEqual(json('delete', 'entra', '--yes'), { alias: 'entra' })
  const gone = issuer('show', 'entra')
  assert.deepEqual([gone.status, gone.stdout], [1, ''])
  assert.match(gone.stderr, /No trusted issuer has the alias entra/)
})

test('what the API refuses a command refuses too: an alias of before, the issuer of this service, a lifetime of none', t => {
  const { issuer, json } = makeWorld(t)
  json(...NEW, 'id_token')
  json('delete', 'entra', '--yes')
  for (const [args, reason] of [
    [[...NEW, 'id_token'], /The alias entra is or was that of a trusted issuer/],
    [[...NEW.with(2, 'own').with(4, BASE_URL), 'id_token'], /issuer is this service/],
    [[...NEW.with(2, 'other'), 'id_token', '--lifetime-seconds', '14'], /lifetime_seconds is less than 15/],
    [[...NEW.with(2, 'other'), 'jwt'], /name those that are trusted in parties/],
  ] as const) {
    const { status, stderr } = issuer(...args)
    assert.equal(status, 1, stderr)
    assert.match(stderr, reason)
  }
})
