// Own claims of agents: what they may be called, what values they have, and how many bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sortMembers } from '../../../api/values/name.ts'
import {
  areNamesListed,
  isOwnClaimName,
  isPlainClaim,
  isReservedClaim,
  mistakeInClaims,
  OWN_CLAIM_FORM,
  type OwnClaim,
} from '../../../api/values/own-claims.ts'

/** By who gives them a meaning. */
const RESERVED: Readonly<Record<string, string>> = {
  'RFC 7519 §4.1': 'iss sub aud exp nbf iat jti',
  'RFC 9068 §2.2': 'iss exp aud sub client_id iat jti auth_time acr amr scope',
  'RFC 8693 §4': 'act scope client_id may_act',
  'RFC 7800 §3.1': 'cnf',
  'RFC 7662 §2.2': 'active scope client_id username token_type exp iat nbf sub aud iss jti',
  'RFC 9701 §5': 'token_introspection',
  'RFC 9396 §9': 'authorization_details',
  'RFC 9493 §4.1': 'sub_id',
  'other issuers': 'scp',
  'who reads names in any case': 'aUD sUb userName may_Act',
  '.NET':
    'http://schemas.microsoft.com/ws/2008/06/identity/claims/role HTTP://schemas.xmlsoap.org/ws/2005/05/identity/claims/name',
  'OpenID Connect Core §2': 'iss sub aud exp iat auth_time nonce acr amr azp',
  'OpenID Connect Core §3.1.3.6, §3.3.2.11': 'at_hash c_hash',
  'OpenID Connect Core §5.1':
    'sub name given_name family_name middle_name nickname preferred_username profile picture website email email_verified gender birthdate zoneinfo locale phone_number phone_number_verified address updated_at',
  'OpenID Connect Core §5.6.2': '_claim_names _claim_sources',
  'OpenID Connect Core §7.4': 'sub_jwk',
  'OpenID Connect Back-Channel Logout §2.1': 'sid',
  'this service': 'seq credential_id lineage',
}

for (const [source, names] of Object.entries(RESERVED)) {
  test(`no claim has a name to which ${source} gives a meaning`, () => {
    for (const name of names.split(' ')) {
      assert.ok(isReservedClaim(name), name)
      const message = 'has a meaning of its own: give the claim another name'
      assert.deepEqual(mistakeInClaims({ [name]: 'x' }), { name, message })
    }
  })
}

test('roles, groups and entitlements (RFC 9068 §2.2.3.1) and tenant_id have none', () => {
  for (const name of ['roles', 'groups', 'entitlements', 'tenant_id']) {
    assert.deepEqual([isReservedClaim(name), isPlainClaim(name)], [false, true], name)
    assert.equal(mistakeInClaims({ [name]: 'x' }), undefined)
  }
})

const URIS = [
  'https://a.example/roles',
  'urn:a:b',
  'a:b',
  'tag:a.example,2026:x',
  `https://a.example/${'x'.repeat(237)}`,
]
URIS.push('https://a.example/x?y=z&a[]=(1)#role', 'A+1.-:%20', "x:~!$'*;@")
const NO_NAMES = ['', 'A', 'Roles', '1a', '0', '_a', '__proto__', 'a b', 'a-b', 'a.b', 'é', `a${'b'.repeat(64)}`]
const NO_URIS = [
  'a:%',
  'a:%zz',
  '1a:b',
  ':b',
  'a:',
  'a:b c',
  'a:"',
  'a:\\',
  'a:<b>',
  'a:é',
  'a:\n',
  'a:{b}',
  `a:${'b'.repeat(254)}`,
]

test('a name is a URI, or plain and listed', () => {
  for (const name of URIS) {
    assert.equal(mistakeInClaims({ [name]: 'x' }), undefined, name)
    assert.ok(areNamesListed({ [name]: 'x' }, []), name)
  }
  for (const name of ['a', 'aB_9', `a${'b'.repeat(63)}`, 'constructor']) {
    assert.equal(mistakeInClaims({ [name]: 'x' }), undefined, name)
    assert.ok(!areNamesListed({ [name]: 'x', 'a:b': 'x' }, []), name)
    assert.ok(areNamesListed({ [name]: 'x', 'a:b': 'x' }, ['other', name]), name)
  }
  for (const name of [...URIS, 'aB_9']) assert.ok(isOwnClaimName(name), name)
  for (const name of [...NO_NAMES, ...NO_URIS]) assert.ok(!isOwnClaimName(name), name)
})

test('a value is printable text, a number that all read alike, true or false, or a list of printable texts', () => {
  const most = Number.MAX_SAFE_INTEGER
  const good = ['', 'ä 日🙃', '"\\', 0, 1.5, 1e-9, most, -most, true, false, [], ['', 'a', 'a']]
  for (const value of good) assert.equal(mistakeInClaims({ 'a:b': value }), undefined, JSON.stringify(value))
  const texts = ['\0', '\n', '\u001b[31m', '\u202e', '\ud800', 'a\udc00b']
  const numbers = [most + 1, -most - 1, 1e300, Infinity, -Infinity, Number.NaN]
  for (const value of [...texts, ...texts.map(text => ['a', text]), ...numbers] as readonly OwnClaim[]) {
    const { name, message = '' } = mistakeInClaims({ 'a:b': value }) ?? {}
    assert.deepEqual([name, message.startsWith(`is not ${OWN_CLAIM_FORM}`)], ['a:b', true], JSON.stringify(value))
  }
  const seen = mistakeInClaims({ 'a:b': ['a', '\u200d'] })?.message
  assert.equal(seen, `is not ${OWN_CLAIM_FORM}: character 1 is U+200D, which cannot be seen`)
})

test('there are at most 16, of at most 2048 bytes of JSON', () => {
  const some = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, n]))
  assert.equal(mistakeInClaims(some(16)), undefined)
  assert.deepEqual(mistakeInClaims(some(17)), { message: 'has more than 16 members' })
  const ofBytes = (bytes: number) => ({ 'a:b': `ä${'x'.repeat(bytes - '{"a:b":"ä"}'.length - 1)}` })
  assert.equal(Buffer.byteLength(JSON.stringify(ofBytes(2048))), 2048)
  assert.equal(mistakeInClaims(ofBytes(2048)), undefined)
  assert.deepEqual(mistakeInClaims(ofBytes(2049)), { message: 'is more than 2048 bytes of JSON' })
})

test('in another order they are the same text', () => {
  const [one, other] = [
    { b: 1, a: ['z', 'y'] },
    { a: ['z', 'y'], b: 1 },
  ]
  assert.equal(JSON.stringify(sortMembers(one)), JSON.stringify(other))
})
