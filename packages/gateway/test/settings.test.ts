// The settings of the gateway process: each mistake is one line that says what was wrong and what to do.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeConfig } from '../src/config.ts'
import { formatHelp, formatTable, SETTING_NAMES, settingOf, variableOf } from '../src/settings.ts'
import { UsageError } from '../src/usage-error.ts'

const NEEDED = { MINTMARK_VERIFY_ISSUER: 'https://tokens.example', MINTMARK_VERIFY_AUDIENCE: 'https://api.example' }
const GOOD = { ...NEEDED, MINTMARK_VERIFY_API_KEY: 'mma_x' }

const mistakeOf = (args: readonly string[], environment: Readonly<Record<string, string>> = GOOD): string => {
  try {
    makeConfig(args, environment)
  } catch (fault) {
    assert.ok(fault instanceof UsageError, String(fault))
    return fault.message
  }
  return 'none'
}

const MISTAKES: readonly (readonly [args: readonly string[], said: RegExp])[] = [
  [['--api-key', 'mma_x'], /^Unknown option '--api-key'\. .*a secret is no option/],
  [['--isuer', 'x'], /^Unknown option '--isuer'/],
  [['orders'], /^Unexpected argument 'orders'/],
  [['--issuer'], /^Option '--issuer <value>' argument missing/],
  [['--issuer', ''], /^--issuer is empty\./],
  [['--issuer', 'a', '--issuer', 'b'], /^--issuer is given 2 times\./],
  [['--mode', 'on'], /^--mode is "on"; expected one of feed, introspect, offline\.$/],
  [['--when-stale', 'accept'], /^--when-stale is "accept"; expected one of introspect, refuse\.$/],
  [['--max-staleness', '0'], /^--max-staleness is "0"; expected seconds from 0\.2 to 3600\.$/],
  [['--max-staleness', '1e3'], /^--max-staleness/],
  [['--scope', 'a"b'], /^--scope is /],
  [['--listen', '8790'], /^--listen is "8790"; expected HOST:PORT/],
  [['--listen', '127.0.0.1:70000'], /^--listen/],
  [['--listen', `unix:/${'x'.repeat(107)}`], /^--listen/],
  [['--origin', 'https://api.example/v1'], /^--origin is .*scheme and host alone/],
  [['--origin', 'https://API.example'], /^--origin/],
  [['--origin', 'https://api.example'], /^--origin needs --request-from/],
  [['--request-from', 'host'], /^--request-from is "host"; expected one of x-original, x-forwarded, path\.$/],
  [['--certificate-header', 'X-C pem'], /^--certificate-header and --trusted-peer belong together/],
  [
    ['--certificate-header', 'X-C', '--trusted-peer', '::1'],
    /^--certificate-header is "X-C"; expected the name of a header, a space/,
  ],
  [['--certificate-header', 'X-C pem', '--trusted-peer', '10.0.0.0/33'], /^--trusted-peer is /],
  [['--certificate-header', 'X-C pem', '--trusted-peer', 'proxy'], /^--trusted-peer is /],
  [['--name', 'é'], /^--name is /],
  [['--name', ' a'], /^--name is " a"; .*without spaces around/],
  [['--api-key-file', '/nowhere'], /^MINTMARK_VERIFY_API_KEY and --api-key-file are both given/],
]

test('a mistake is one line that names the flag and what to give', () => {
  for (const [args, said] of MISTAKES) {
    const mistake = mistakeOf(args)
    assert.match(mistake, said)
    assert.ok(!mistake.includes('\n') && !mistake.includes('mma_x'), mistake)
  }
})

test('what is required is missed, and a variable that there is not is refused', () => {
  assert.match(mistakeOf([], {}), /^--issuer is missing\. .*MINTMARK_VERIFY_ISSUER/)
  assert.match(mistakeOf([], NEEDED), /^There is no API key\. Set MINTMARK_VERIFY_API_KEY or --api-key-file/)
  assert.equal(mistakeOf(['--mode', 'offline'], NEEDED), 'none')
  // Misspelled, it would silently ask for nothing.
  assert.match(mistakeOf([], { ...GOOD, MINTMARK_VERIFY_SCOPES: 'db:read' }), /^MINTMARK_VERIFY_SCOPES is no variable/)
  assert.match(mistakeOf([], { ...GOOD, MINTMARK_VERIFY_SCOPE: '' }), /^MINTMARK_VERIFY_SCOPE is empty/)
  const kubernetes = { MINTMARK_VERIFY_SERVICE_HOST: '10.0.0.1', MINTMARK_VERIFY_PORT_8790_TCP: 'tcp://10.0.0.1:8790' }
  assert.equal(mistakeOf([], { ...GOOD, ...kubernetes }), 'none')
})

test('a start where Node verifies no certificate is refused', () => {
  const mistake = mistakeOf([], { ...GOOD, NODE_TLS_REJECT_UNAUTHORIZED: '0' })
  assert.match(mistake, /^NODE_TLS_REJECT_UNAUTHORIZED is 0, .*NODE_EXTRA_CA_CERTS\.$/)
  assert.equal(mistakeOf([], { ...GOOD, NODE_TLS_REJECT_UNAUTHORIZED: '1' }), 'none')
})

test('a flag wins over its variable, and lists are repeated or separated by spaces', () => {
  const environment = { ...GOOD, MINTMARK_VERIFY_MODE: 'offline', MINTMARK_VERIFY_SCOPE: 'a b' }
  const config = makeConfig(['--mode', 'introspect', '--audience', 'urn:a', '--audience', 'urn:b'], environment)
  assert.deepEqual(
    [config.verifier.mode, config.scopes, config.audiences],
    ['introspect', ['a', 'b'], ['urn:a', 'urn:b']],
  )
  assert.deepEqual(config.listen, { host: '127.0.0.1', port: 8790 })
  assert.deepEqual(makeConfig(['--listen', '[::1]:1'], GOOD).listen, { host: '::1', port: 1 })
  assert.deepEqual(makeConfig(['--listen', 'unix:/run/a.sock'], GOOD).listen, { path: '/run/a.sock' })
})

test('the API key is read from a file, which must hold one', t => {
  const path = join(tmpdir(), `mintmark-verify-key-${process.pid}`)
  t.after(() => rmSync(path, { force: true }))
  writeFileSync(path, 'mma_y\n')
  assert.equal(makeConfig([], { ...NEEDED, MINTMARK_VERIFY_API_KEY_FILE: path }).verifier.apiKey, 'mma_y')
  writeFileSync(path, 'mma y')
  assert.match(mistakeOf(['--api-key-file', path], NEEDED), /^The file .* of --api-key-file holds a character/)
  assert.match(mistakeOf([], { ...NEEDED, MINTMARK_VERIFY_API_KEY: 'mma y' }), /^MINTMARK_VERIFY_API_KEY holds a char/)
  writeFileSync(path, '\n')
  assert.match(mistakeOf(['--api-key-file', path], NEEDED), /is empty\. Write the API key into it\.$/)
  assert.match(mistakeOf(['--api-key-file', '/nowhere'], NEEDED), /cannot be read \(ENOENT\)/)
})

test('the help and the README name each setting, by the one table', () => {
  const help = formatHelp()
  for (const name of SETTING_NAMES) {
    assert.ok(help.includes(variableOf(name)), name)
    assert.equal(help.includes(`--${name} `), settingOf(name).isSecret === undefined, name)
  }
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
  assert.ok(readme.includes(`\n${formatTable()}\n`), `The table of the README should be:\n${formatTable()}`)
})
