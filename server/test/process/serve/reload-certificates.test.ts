// `mintmark serve` reads its certificates again when their files change: new handshakes get the new one, and no connection ends.
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeServerCertificate, readOver, type ServingTls, startTls } from '../../../../testkit/commands/serving-tls.ts'
import type { MadeCertificate } from '../../../../testkit/keys/make-certificate.ts'
import { until } from '../../../../testkit/processes/until.ts'

const LIMIT = { timeout: 300_000 }
const DAY_MS = 86_400_000

type Component = { readonly check?: string; readonly status: string; readonly reason?: string }

/** The certificate of a new connection, which either thread may take. */
const handshake = async (port: number): Promise<string> => {
  const { socket } = await readOver({ port, path: '/livez', agent: false })
  return socket.getPeerCertificate().raw.toString('base64')
}

const HANDSHAKES = 24

const handshakes = (port: number): Promise<readonly string[]> =>
  Promise.all(Array.from({ length: HANDSHAKES }, () => handshake(port)))

const isOnly = (seen: readonly string[], { der }: MadeCertificate): boolean =>
  seen.every(one => one === Buffer.from(der).toString('base64'))

/** Waits until every new connection gets it; the time limit of the test ends what never comes. */
const untilServed = async ({ port }: Pick<ServingTls, 'port'>, certificate: MadeCertificate): Promise<void> => {
  // Many are asked only once one has got it.
  await until(
    'the new certificate',
    async () => isOnly([await handshake(port)], certificate) && isOnly(await handshakes(port), certificate),
  )
}

const reloadState = async ({ port }: Pick<ServingTls, 'port'>): Promise<Component | undefined> => {
  const { body } = await readOver({ port, path: '/readyz?verbose', agent: false })
  const { components } = JSON.parse(body) as { readonly components: readonly Component[] }
  return components.find(({ check }) => check === 'reloaded_files')
}

const untilReported = async (serving: Pick<ServingTls, 'port'>, status: string): Promise<Component> => {
  let first: Component | undefined
  await until(`reloaded_files ${status}`, async () => {
    first = await reloadState(serving)
    if (first?.status !== status) return false
    // Each thread hears of it by itself: both have where so many connections have.
    const found = await Promise.all(Array.from({ length: HANDSHAKES }, () => reloadState(serving)))
    return found.every(one => one?.status === status)
  })
  assert.ok(first)
  return first
}

/** One for all tests that replace its certificate and key; each begins with a pair of its own. */
const shared = await startTls({ after }, makeServerCertificate())

const begin = async (certificate: MadeCertificate) => {
  shared.put(certificate)
  await untilServed(shared, certificate)
  const earlier = shared.running.errors().length
  return { serving: shared, logged: () => shared.running.errors().slice(earlier) }
}

/** Connections that are kept open; `ask` fails where one was replaced. */
const keepConnections = async ({ port }: ServingTls, certificate: MadeCertificate) => {
  const agents = Array.from(
    { length: 8 },
    () => new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false }),
  )
  const ask = () => Promise.all(agents.map(agent => readOver({ port, path: '/livez', agent })))
  const ports = (await ask()).map(({ socket }) => socket.localPort)
  return {
    assertAlive: async (): Promise<void> => {
      for (const [n, { status, socket }] of (await ask()).entries()) {
        assert.deepEqual([status, socket.localPort, socket.destroyed], [200, ports[n], false])
        assert.ok(isOnly([socket.getPeerCertificate().raw.toString('base64')], certificate))
      }
    },
    close: (): void => agents.forEach(agent => agent.destroy()),
  }
}

test(
  'a renewed certificate is served to new connections by every thread, and connections that are open go on',
  LIMIT,
  async () => {
    const [first, second, third] = [makeServerCertificate(), makeServerCertificate(), makeServerCertificate()]
    const { serving, logged } = await begin(first)
    assert.ok(isOnly(await handshakes(serving.port), first))
    const kept = await keepConnections(serving, first)
    serving.put(second)
    await untilServed(serving, second)
    await kept.assertAlive()
    // Two changes in quick succession: the last one counts.
    serving.put(first)
    serving.put(third)
    await untilServed(serving, third)
    await kept.assertAlive()
    kept.close()
    assert.doesNotMatch(logged(), /cannot be used/)
  },
)

test(
  'a file that is cut, a key that does not fit and a missing file change nothing, are reported, and are mended',
  LIMIT,
  async () => {
    const [first, second] = [makeServerCertificate(), makeServerCertificate()]
    const { serving, logged } = await begin(first)
    const kept = await keepConnections(serving, first)
    const brief = 'TLS: files were changed and cannot be used, so the earlier content is in use.'
    const assertKept = async (): Promise<void> => {
      const { reason } = await untilReported(serving, 'warning')
      assert.equal(reason, brief)
      assert.ok(isOnly(await handshakes(serving.port), first))
      await kept.assertAlive()
    }
    const spoilers = [
      () => serving.write(serving.certFile, second.cert.slice(0, second.cert.length / 2)),
      () => serving.write(serving.certFile, second.cert),
      () => renameSync(serving.keyFile, `${serving.keyFile}.away`),
    ]
    for (const spoil of spoilers) {
      spoil()
      await assertKept()
      serving.put(first)
      await untilReported(serving, 'ok')
    }
    serving.write(serving.certFile, second.cert)
    await assertKept()
    serving.write(serving.keyFile, second.key)
    await untilReported(serving, 'ok')
    await untilServed(serving, second)
    await kept.assertAlive()
    kept.close()
    const stderr = logged()
    assert.match(
      stderr,
      /Changed files cannot be used, and what was read before stays in use: MINTMARK_TLS_CERT_FILE and MINTMARK_TLS_KEY_FILE cannot be used \(/,
    )
    assert.match(stderr, /MINTMARK_TLS_KEY_FILE names [^,]+, which cannot be read \(ENOENT\)/)
    assert.ok(!stderr.includes(second.key.split('\n')[1] ?? '-'))
  },
)

test('files are followed through links, as Kubernetes swaps them', LIMIT, async t => {
  const [first, second, third] = [makeServerCertificate(), makeServerCertificate(), makeServerCertificate()]
  const putVersion = (folder: string, name: string, { cert, key }: MadeCertificate): void => {
    const version = join(folder, name)
    mkdirSync(version)
    writeFileSync(join(version, 'crt'), cert)
    writeFileSync(join(version, 'key'), key, { mode: 0o600 })
    symlinkSync(name, join(folder, '..data.new'))
    renameSync(join(folder, '..data.new'), join(folder, '..data'))
  }
  const serving = await startTls(t, first, folder => {
    putVersion(folder, '..1', first)
    symlinkSync('..data/crt', join(folder, 'crt'))
    symlinkSync('..data/key', join(folder, 'key'))
    return { MINTMARK_TLS_CERT_FILE: join(folder, 'crt'), MINTMARK_TLS_KEY_FILE: join(folder, 'key') }
  })
  assert.ok(isOnly(await handshakes(serving.port), first))
  putVersion(serving.folder, '..2', second)
  await untilServed(serving, second)
  putVersion(serving.folder, '..3', third)
  await untilServed(serving, third)
})

test('SIGHUP reads the files again and ends nothing', LIMIT, async () => {
  const [first, second] = [makeServerCertificate(), makeServerCertificate()]
  const { serving, logged } = await begin(first)
  serving.running.signal('SIGHUP')
  await handshakes(serving.port)
  serving.put(second)
  serving.running.signal('SIGHUP')
  await untilServed(serving, second)
  serving.running.signal('SIGHUP')
  const unchanged = /SIGHUP: the files of TLS were read again, and nothing has changed\./
  await until('the files are read again', async () => unchanged.test(logged()))
  assert.equal((await serving.running.stop()).status, 0)
})

test('a certificate that is about to expire is a warning of the service until it is renewed', LIMIT, async t => {
  const old = makeServerCertificate(Date.now() + 5 * DAY_MS)
  const serving = await startTls(t, old)
  const stateOf = async () => {
    const { body } = await readOver({ port: serving.port, path: '/readyz?verbose', agent: false })
    const { components } = JSON.parse(body) as { readonly components: readonly Component[] }
    return components.find(({ check }) => check === 'tls_certificate')
  }
  const { status, reason } = (await stateOf()) ?? {}
  assert.deepEqual([status, reason], ['warning', 'The TLS certificate expires in 4 days.'])
  serving.put(makeServerCertificate())
  await until('the renewed certificate is ok', async () => (await stateOf())?.status === 'ok')
  const { stderr } = await serving.running.stop()
  assert.match(
    stderr,
    /"check":"tls_certificate","status":"warning","msg":"The TLS certificate expires in 4 days, on \d{4}-\d\d-\d\d\. Renew it/,
  )
})
