// Values of the configuration as editors, env files and pages of a wiki leave them: one that would silently mean something else is
// a mistake.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listenHost } from '../src/config/addresses.ts'
import { type Environment, readMoveConfig, readServeConfig } from '../src/config/config.ts'
import { BASE, file, KEY, mistakesOf } from '../../testkit/services/base-environment.ts'

const QUOTED = ['"https://a.example.com"', "'https://a.example.com'", '“https://a.example.com”'].map(
  text => [{ MINTMARK_BASE_URL: text }, /^MINTMARK_BASE_URL stands in quotation marks; expected it without$/] as const,
)

const EDGES = [' data', 'data\n', 'data\u00A0', 'data\u200B', '\uFEFFdata'].map(
  text =>
    [
      { MINTMARK_DATA_DIR: text },
      /^MINTMARK_DATA_DIR begins or ends with a space or an invisible character; expected none$/,
    ] as const,
)

const MISTAKES: readonly (readonly [Environment, RegExp])[] = [
  ...QUOTED,
  ...EDGES,
  [
    { MINTMARK_CONFIG_FILE: file('latin1.json', Buffer.from('{"x":"\u00FC"}', 'latin1')) },
    /^MINTMARK_CONFIG_FILE names ".*", which is not in UTF-8; expected it saved as UTF-8$/,
  ],
  [
    {
      MINTMARK_KEY_ENCRYPTION_KEY: undefined,
      MINTMARK_KEY_ENCRYPTION_KEY_FILE: file('utf16', Buffer.from(`\uFEFF${KEY}`, 'utf16le')),
    },
    /^MINTMARK_KEY_ENCRYPTION_KEY_FILE names ".*", which is not in UTF-8; expected it saved as UTF-8$/,
  ],
  // `sqlite://data/…` would be a file below the root of the machine.
  [{ DATABASE_URL: 'sqlite://data/mintmark.db' }, /^DATABASE_URL names no database; expected sqlite:FILE/],
  [
    { DATABASE_URL: 'postgres://u:hunter%2@127.0.0.1/db' },
    /^DATABASE_URL holds a % that encodes nothing; .*, % as %25/,
  ],
]

test('a value in quotation marks, with a space or an invisible character around it, or in another encoding is a mistake', async () => {
  for (const [wrong, message] of MISTAKES) {
    const mistakes = await mistakesOf(() => readServeConfig({ ...BASE, ...wrong }))
    assert.equal(mistakes.length, 1, mistakes.join('\n'))
    assert.match(mistakes.join('\n'), message)
  }
})

test('a password that was chosen elsewhere may have any text', () => {
  assert.equal(readMoveConfig('postgres://u@127.0.0.1/db', { PGPASSWORD: '"a b" ' }).password, '"a b" ')
})

test('all addresses are those of IPv4 where the machine has no IPv6, and of both families elsewhere', () => {
  const one = { netmask: '', mac: '', internal: true, cidr: null }
  const ipv4 = { ...one, address: '127.0.0.1', family: 'IPv4' as const }
  const ipv6 = { ...one, address: '::1', family: 'IPv6' as const, scopeid: 0 }
  assert.equal(
    listenHost('::', () => ({ lo: [ipv4] })),
    '0.0.0.0',
  )
  assert.equal(
    listenHost('::', () => ({ lo: [ipv4, ipv6] })),
    '::',
  )
  assert.equal(
    listenHost('::', () => undefined),
    '::',
  )
  assert.equal(
    listenHost('::1', () => ({ lo: [ipv4] })),
    '::1',
  )
})
