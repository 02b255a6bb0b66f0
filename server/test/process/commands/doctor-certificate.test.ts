// mintmark doctor of a certificate, of trusted proxies, and of the files that a process may open.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { examine, makeInstallation } from '../../../../testkit/commands/doctor.ts'
import { PROGRAM, runShell } from '../../../../testkit/commands/run-mintmark.ts'
import { CN, makeAuthority, makeCertificate, type MadeCertificate } from '../../../../testkit/keys/make-certificate.ts'

const DAY_MS = 86_400_000
const now = Date.now()
const authority = makeAuthority('an authority')

const HOST = [[0x82, 'auth.example.com']] as const
/** Of a port that no fetch asks (https://fetch.spec.whatwg.org/#port-blocking): no name is looked up. */
const BASE_URL = 'https://auth.example.com:9'
const ADDRESS = [[0x87, Buffer.of(127, 0, 0, 1)]] as const

type Request = Parameters<typeof makeCertificate>[0]

const server = (request: Request): MadeCertificate =>
  makeCertificate({ purpose: 'server', authority, names: HOST, notAfter: now + 90 * DAY_MS, ...request })

const examineWith = async (t: TestContext, chain: string, key: string, more: Record<string, string> = {}) => {
  const { folder, variables } = await makeInstallation(t)
  writeFileSync(join(folder, 'tls.crt'), chain)
  writeFileSync(join(folder, 'tls.key'), key, { mode: 0o600 })
  return examine(folder, {
    ...variables,
    MINTMARK_BASE_URL: BASE_URL,
    MINTMARK_TLS_CERT_FILE: join(folder, 'tls.crt'),
    MINTMARK_TLS_KEY_FILE: join(folder, 'tls.key'),
    ...more,
  })
}

const FOUND: readonly (readonly [string, Request, 'ok' | 'warning' | 'problem', RegExp, Record<string, string>?])[] = [
  ['that is good', {}, 'ok', /^The TLS certificate is good until \d{4}-\d\d-\d\d, and for the host of the base URL\.$/],
  ['with 30 days left', { notAfter: now + 30 * DAY_MS + 3_600_000 }, 'ok', /is good until/],
  [
    'with less than 30 days left',
    { notAfter: now + 30 * DAY_MS - 1000 },
    'warning',
    /expires in 29 days, on .*Renew it/,
  ],
  ['with a day left', { notAfter: now + 1.5 * DAY_MS }, 'warning', /expires in 1 day, on /],
  [
    'that has expired',
    { notAfter: now - 1000, notBefore: now - DAY_MS },
    'problem',
    /^The TLS certificate expired on .*Renew it/,
  ],
  ['of tomorrow', { notBefore: now + DAY_MS }, 'problem', /is valid from .* on, and not yet\. Correct the clock/],
  [
    'for another host',
    { names: [[0x82, 'other.example.com']] },
    'problem',
    /^The TLS certificate is not for auth\.example\.com, the host of MINTMARK_BASE_URL\. Have one issued/,
  ],
  [
    'for another host behind a proxy',
    { names: [[0x82, 'inside.example.com']] },
    'warning',
    /is not for auth\.example\.com/,
    { MINTMARK_TRUSTED_PROXIES: '10.0.0.7' },
  ],
  ['for a wildcard of the host', { names: [[0x82, '*.example.com']] }, 'ok', /is good until/],
  ['for the address', { names: ADDRESS }, 'ok', /is good until/, { MINTMARK_BASE_URL: 'https://127.0.0.1' }],
  [
    'for a name and not the address',
    {},
    'problem',
    /is not for 127\.0\.0\.1/,
    { MINTMARK_BASE_URL: 'https://127.0.0.1' },
  ],
]

for (const [what, request, status, expected, more] of FOUND) {
  test(`doctor of a TLS certificate ${what}: ${status}`, async t => {
    const { cert, key } = server(request)
    const { statuses, messages } = await examineWith(t, cert, key, more)
    assert.match(messages('tls_certificate').join(), expected)
    assert.equal(statuses['tls_certificate'], status)
  })
}

test('doctor looks at the chain of a certificate, and at authorities of clients', async t => {
  const { cert, key } = server({})
  const old = makeCertificate({
    subject: [[[CN, 'old']]],
    isAuthority: true,
    notAfter: now - 1000,
    notBefore: now - DAY_MS,
  })
  const chain = await examineWith(t, `${cert}${old.cert}`, key)
  assert.match(
    chain.messages('tls_certificate').join(),
    /^A certificate in the chain of the TLS certificate expired on/,
  )
  assert.equal(chain.statuses['tls_certificate'], 'problem')
  const { folder } = await makeInstallation(t)
  writeFileSync(join(folder, 'authorities.pem'), old.cert)
  const clients = await examineWith(t, cert, key, { MINTMARK_TLS_CLIENT_CA_FILE: join(folder, 'authorities.pem') })
  assert.match(clients.messages('tls_certificate').join(), /^The authority of client certificates "CN=old" expired on/)
  assert.equal(clients.statuses['tls_certificate'], 'warning')
})

test('doctor of a key that does not fit its certificate says so once', async t => {
  const { messages, statuses } = await examineWith(t, server({}).cert, server({}).key)
  assert.match(messages('configuration').join(), /MINTMARK_TLS_CERT_FILE and MINTMARK_TLS_KEY_FILE cannot be used \(/)
  assert.match(messages('tls_certificate').join(), /^Not checked: the certificate and its key cannot be used\./)
  assert.equal(statuses['tls_certificate'], 'warning')
})

test('doctor of proxies that are trusted', async t => {
  const { folder, variables } = await makeInstallation(t)
  const https = { ...variables, MINTMARK_BASE_URL: BASE_URL }
  for (const [more, status, expected] of [
    [variables, 'ok', /^No proxy is trusted, and none ends TLS\.$/],
    [https, 'warning', /^A proxy ends TLS, and MINTMARK_TRUSTED_PROXIES is not set/],
    [
      { ...https, MINTMARK_TRUSTED_PROXIES: '10.0.0.7' },
      'ok',
      /^Addresses that 10\.0\.0\.7\/32 forward are believed\.$/,
    ],
    [
      { ...https, MINTMARK_TRUSTED_PROXIES: '10.0.0.7,0.0.0.0/0' },
      'problem',
      /contains 0\.0\.0\.0\/0: every caller is believed/,
    ],
    [{ ...https, MINTMARK_TRUSTED_PROXIES: '::/0' }, 'problem', /contains ::\/0/],
  ] as const) {
    const { messages, statuses } = await examine(folder, more)
    assert.match(messages('trusted_proxies').join(), expected)
    assert.equal(statuses['trusted_proxies'], status)
  }
})

test('doctor in a shell whose limit of open files is too low for the connections says how to raise it', async t => {
  const { folder, variables } = await makeInstallation(t)
  const line = `ulimit -n 2000; '${process.execPath}' '${PROGRAM}' doctor`
  // No provider of this process, which waits for the shell.
  const { stdout } = runShell(folder, line, { ...variables, MINTMARK_IDP_ISSUER: 'http://127.0.0.1:9' })
  assert.match(stdout, /^warning +open_files +This process may open too few files for 10000 connections/m)
  assert.match(stdout, /→ Raise its limit with `ulimit -n 10256`/)
})
