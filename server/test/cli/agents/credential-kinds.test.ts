// mintmark credential create with what an agent may present in place of a secret.
import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { CERTIFICATE } from '../../../../testkit/keys/loopback-certificate.ts'
import { KEY, makeFolder, run } from '../../../../testkit/commands/run-mintmark.ts'

type Printed = Readonly<Record<string, unknown>>

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const jwkOf = (key: KeyObject): Printed => key.export({ format: 'jwk' }) as Printed

const WORKLOAD = ['--issuer', 'https://ci.example', '--subject', 'repo:acme/site:*']

const makeAgent = (t: TestContext) => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY }).status, 0)
  const json = (args: readonly string[], input = ''): Printed => {
    const { status, stdout, stderr } = run(folder, [...args, '--json'], {}, input)
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout) as Printed
  }
  const agentId = String(json(['agent', 'create', '--name', 'reports', '--scope', 'db:read'])['agent_id'])
  const create = (...options: readonly string[]) => ['credential', 'create', agentId, '--name', 'other', ...options]
  const show = ({ credential_id: id }: Printed) => json(['credential', 'show', agentId, String(id)])
  return { folder, agentId, json, create, show }
}

test('keys of the client are registered from a file, a set or one alone, or as an address; list and show name the kind', t => {
  const { folder, agentId, json, create, show } = makeAgent(t)
  const { kty, crv, x, y } = jwkOf(publicKey)
  const jwk = { kty, crv, x, y }
  writeFileSync(join(folder, 'set.json'), JSON.stringify({ keys: [jwk] }))
  const made = json(create('--jwks-file', 'set.json'))
  assert.deepEqual(made, { credential_id: made['credential_id'], agent_id: agentId, kind: 'private_key_jwt' })
  const trusted = { jwks: { keys: [jwk] }, accept_token_endpoint: false }
  assert.deepEqual(show(made)['private_key_jwt'], trusted)
  const alone = json(create('--jwks-file', '-', '--accept-token-endpoint'), JSON.stringify(jwk))
  assert.deepEqual(show(alone)['private_key_jwt'], { ...trusted, accept_token_endpoint: true })
  const fetched = json(create('--jwks-uri', 'https://client.example/jwks.json'))
  const address = { jwks_uri: 'https://client.example/jwks.json', accept_token_endpoint: false }
  assert.deepEqual(show(fetched)['private_key_jwt'], address)
  const { data } = json(['credential', 'list', agentId]) as { readonly data: readonly Printed[] }
  assert.deepEqual(
    data.map(({ kind }) => kind),
    ['client_secret', 'private_key_jwt', 'private_key_jwt', 'private_key_jwt'],
  )
  assert.match(run(folder, ['credential', 'list', agentId]).stdout, / other +private_key_jwt +- /)
  const shown = run(folder, ['credential', 'show', agentId, String(made['credential_id'])]).stdout
  assert.match(shown, /\nkind +private_key_jwt\nprivate_key_jwt +jwks=/)
  assert.doesNotMatch(run(folder, create('--jwks-file', 'set.json')).stdout, /secret/)
})

test('public keys are registered in PEM too, several and from certificates; a private key is refused by name', t => {
  const { folder, json, create, show } = makeAgent(t)
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  const jwk = ({ kty, crv, x, y }: Printed): Printed => ({ kty, crv, x, y })
  const [own, certified] = [jwk(jwkOf(publicKey)), jwk(jwkOf(new X509Certificate(CERTIFICATE).publicKey))]
  writeFileSync(join(folder, 'two.pem'), `two keys\n${pem}${CERTIFICATE}`)
  const made = json(create('--jwks-file', 'two.pem'))
  assert.deepEqual(show(made)['private_key_jwt'], { jwks: { keys: [own, certified] }, accept_token_endpoint: false })
  const secret = privateKey.export({ type: 'pkcs8', format: 'pem' })
  for (const [text, line] of [
    [`${pem}${secret}`, /holds a private key \(PRIVATE KEY\), which stays where it is: give its public half, as/],
    [pem.replace('END', 'ND'), /PEM that is damaged or not whole/],
    [pem.replaceAll('PUBLIC KEY', 'CERTIFICATE REQUEST'), /holds CERTIFICATE REQUEST in PEM, which is no public key/],
    [pem.replace('MF', 'AA'), /PUBLIC KEY in PEM that cannot be read as a public key/],
  ] as const) {
    const { status, stdout, stderr } = run(folder, create('--jwks-file', '-'), {}, text)
    assert.deepEqual([status, stdout], [1, ''], stderr)
    assert.match(stderr, line)
    assert.ok(!stderr.includes(secret.slice(60, 90)))
  }
})

test('another issuer is trusted for its tokens of a subject', t => {
  const { json, create, show } = makeAgent(t)
  const made = json(create(...WORKLOAD))
  assert.equal(made['kind'], 'workload_identity')
  const trusted = { issuer: 'https://ci.example', subject: 'repo:acme/site:*', audience: null, jwks_uri: null }
  assert.deepEqual(show(made)['workload_identity'], trusted)
  const more = [
    '--issuer',
    'spiffe://acme.example',
    '--subject',
    'spiffe://acme.example/site',
    '--audience',
    'mintmark',
  ]
  const spiffe = json(create(...more, '--jwks-uri', 'https://spire.example/keys'))
  assert.deepEqual(show(spiffe)['workload_identity'], {
    issuer: 'spiffe://acme.example',
    subject: 'spiffe://acme.example/site',
    audience: 'mintmark',
    jwks_uri: 'https://spire.example/keys',
  })
})

test('a TLS certificate is trusted by one of its names, or as it is', t => {
  const { folder, json, create, show } = makeAgent(t)
  const NAMES = {
    subject_dn: 'CN=reports,O=Example',
    san_dns: 'reports.example',
    san_uri: 'spiffe://example.org/reports',
    san_ip: '10.0.0.7',
    san_email: 'reports@example.org',
  }
  for (const [name, value] of Object.entries(NAMES)) {
    const made = json(create(`--${name.replace('_', '-')}`, value))
    assert.equal(made['kind'], 'tls_client_auth')
    assert.deepEqual(show(made)['tls_client_auth'], { [name]: value })
  }
  writeFileSync(join(folder, 'one.pem'), CERTIFICATE)
  const pinned = json(create('--certificate', 'one.pem'))
  const { fingerprint256 } = new X509Certificate(CERTIFICATE)
  const thumbprint = Buffer.from(fingerprint256.replaceAll(':', ''), 'hex').toString('base64url')
  assert.deepEqual(show(pinned)['self_signed_tls_client_auth'], { thumbprints: [thumbprint] })
})

test('options that do not belong together are a wrong usage, and a private key goes nowhere', t => {
  const { folder, agentId, json, create } = makeAgent(t)
  writeFileSync(join(folder, 'private.json'), JSON.stringify({ keys: [jwkOf(privateKey)] }))
  writeFileSync(join(folder, 'text'), 'no keys')
  writeFileSync(join(folder, 'none.json'), '{"kid":"1"}')
  writeFileSync(join(folder, 'twice.json'), '{"keys":[{"kty":"EC","kid":"1","kid":"2"}]}')
  const URI = ['--jwks-uri', 'https://client.example/jwks.json']
  const NO_KEYS = /neither a JWK nor a set of them/
  const REFUSED: readonly (readonly [readonly string[], number, RegExp])[] = [
    [['--issuer', 'https://ci.example'], 2, /Give --issuer and --subject together/],
    [['--audience', 'mintmark', ...URI], 2, /Give --issuer and --subject together/],
    [['--accept-token-endpoint'], 2, /Give one of --jwks-file and --jwks-uri/],
    [['--jwks-file', 'private.json', ...URI], 2, /Give one of --jwks-file and --jwks-uri/],
    [[...WORKLOAD, '--jwks-file', 'private.json'], 2, /both keys of the client and another issuer/],
    [['--jwks-file', 'private.json'], 1, /a private or secret key: give the public ones/],
    [['--jwks-file', 'text'], 1, NO_KEYS],
    [['--jwks-file', 'none.json'], 1, NO_KEYS],
    [['--jwks-file', 'twice.json'], 1, /^mintmark: keys\.0\.kid is given twice: give each member once\.\n$/],
    [['--jwks-file', 'nowhere.json'], 1, /"nowhere.json" cannot be read \(ENOENT\)/],
    [['--san-dns', 'a.example', '--san-ip', '10.0.0.7'], 1, /exactly one/],
    [['--san-dns', 'a.example', ...WORKLOAD], 1, /more than one of private_key_jwt/],
    [['--certificate', 'text'], 1, /certificate/],
    [
      ['--issuer', 'http://ci.example', '--subject', 'repo:acme'],
      1,
      /workload_identity.issuer is not an https address/,
    ],
  ]
  for (const [options, exitCode, message] of REFUSED) {
    const { status, stdout, stderr } = run(folder, create(...options))
    assert.deepEqual([status, stdout], [exitCode, ''], stderr)
    assert.match(stderr, message)
    assert.ok(!stderr.includes(String(jwkOf(privateKey)['d'])))
  }
  assert.equal((json(['credential', 'list', agentId])['data'] as readonly unknown[]).length, 1)
})
