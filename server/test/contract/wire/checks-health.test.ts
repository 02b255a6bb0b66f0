// GET /readyz?verbose: the checks of the installation, and what became of the address that a request was forwarded for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CheckResult } from '../../../src/domain/checkup.ts'
import { fail, good, warn } from '../../../src/domain/checkup.ts'
import { get } from '../../../../testkit/callers/requests.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

type Headers = Readonly<Record<string, string>>

const componentsOf = async (service: TestServer, name: string, headers: Headers = {}) => {
  const { status, json } = await get(service, '/readyz?verbose', headers)
  assert.equal(status, 200)
  return (json as { readonly components: readonly { readonly name: string }[] }).components.filter(
    one => one.name === name,
  )
}

const SECRET = '/etc/mintmark/key'

const CHECKS: readonly CheckResult[] = [
  { name: 'versions', findings: [good(`Fine, in ${SECRET}.`)] },
  {
    name: 'tls_certificate',
    findings: [
      warn({ what: `${SECRET} is old.`, remedy: `Renew ${SECRET}.`, brief: 'It expires in 3 days.' }),
      fail({ what: `${SECRET} is wrong.`, remedy: 'Other.', brief: 'It is for another host.' }),
      warn({ what: `${SECRET} is old too.`, remedy: 'Renew it.', brief: 'It expires in 3 days.' }),
    ],
  },
]

test('readyz?verbose: each check with its worst status and its reasons, without paths; being ready does not depend on them', async () => {
  let checks: readonly CheckResult[] = []
  const service = await startServer({ server: { checks: () => checks } })
  try {
    assert.deepEqual(await componentsOf(service, 'check'), [])
    checks = CHECKS
    assert.deepEqual(await componentsOf(service, 'check'), [
      { name: 'check', check: 'versions', status: 'ok' },
      {
        name: 'check',
        check: 'tls_certificate',
        status: 'problem',
        reason: 'It expires in 3 days. It is for another host.',
      },
    ])
    assert.deepEqual((await get(service, '/readyz')).json, { status: 'ok' })
  } finally {
    await service.close()
  }
})

test('readyz?verbose: while something waits to be accepted after a restore it says what to do', async () => {
  let isAnySuspended = false
  const waiting = () => Promise.resolve(isAnySuspended)
  const service = await startServer({
    break: ports => ({ ...ports, health: { ...ports.health, isAnySuspended: waiting } }),
  })
  try {
    assert.deepEqual(await componentsOf(service, 'suspensions'), [])
    isAnySuspended = true
    const reason =
      'A restore suspended agents, credentials, API keys or trusted issuers: requests that use them are refused until `mintmark restore accept`.'
    assert.deepEqual(await componentsOf(service, 'suspensions'), [{ name: 'suspensions', status: 'warning', reason }])
  } finally {
    await service.close()
  }
})

const STATES: readonly (readonly [Headers, string])[] = [
  [{ 'x-forwarded-for': '203.0.113.7' }, 'believed'],
  [{ forwarded: 'for=203.0.113.7' }, 'believed'],
  [{ 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' }, 'believed'],
  [{ 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.8' }, 'ignored'],
  [{ 'x-forwarded-for': '127.0.0.1' }, 'believed'],
  [{ 'x-forwarded-for': '192.0.2.1' }, 'test_address_believed'],
  [{ forwarded: 'for=192.0.2.1' }, 'test_address_believed'],
  [{ 'x-forwarded-for': '192.0.2.1, 203.0.113.7' }, 'believed'],
]

test('readyz?verbose: of a request through a trusted proxy, whether the forwarded address is believed', async () => {
  const service = await startServer({ server: { proxies: ['127.0.0.1/32'] } })
  try {
    assert.deepEqual(await componentsOf(service, 'forwarded_address'), [])
    for (const [headers, status] of STATES) {
      const found = await componentsOf(service, 'forwarded_address', headers)
      assert.deepEqual(found, [{ name: 'forwarded_address', status }], JSON.stringify(headers))
    }
  } finally {
    await service.close()
  }
})

test('readyz?verbose: nobody else is believed', async () => {
  const service = await startServer({ server: { proxies: ['10.0.0.0/8'] } })
  try {
    for (const [headers] of STATES) {
      const found = await componentsOf(service, 'forwarded_address', headers)
      assert.deepEqual(found, [{ name: 'forwarded_address', status: 'ignored' }], JSON.stringify(headers))
    }
  } finally {
    await service.close()
  }
})
