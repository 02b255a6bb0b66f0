// A service that speaks TLS itself, with certificates in files that a test replaces.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get as getOver, type RequestOptions } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { startIdentityProvider } from '../identity-providers/identity-provider.ts'
import { makeCertificate, type MadeCertificate } from '../keys/make-certificate.ts'
import { freePorts, makeFolder, run, type Scope, serveVariables, start, type Variables } from './run-mintmark.ts'

const DAY_MS = 86_400_000

const LOOPBACK = [[0x87, Buffer.of(127, 0, 0, 1)]] as const

/** Makes a certificate for this machine that nobody trusts. */
export const makeServerCertificate = (notAfter = Date.now() + 90 * DAY_MS): MadeCertificate =>
  makeCertificate({ names: LOOPBACK, purpose: 'server', notAfter })

/** Two threads; `more` makes further settings, in the folder of the service. `put` replaces certificate and key, one after the other. */
export const startTls = async (
  t: Scope,
  certificate: Pick<MadeCertificate, 'cert' | 'key'>,
  more: (folder: string) => Variables = () => ({}),
) => {
  const [folder, provider, [port]] = [makeFolder(t), await startIdentityProvider(), await freePorts()]
  t.after(() => provider.close())
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')]
  const write = (path: string, content: string): void => {
    writeFileSync(`${path}.new`, content, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }
  const put = ({ cert, key }: Pick<MadeCertificate, 'cert' | 'key'>): void => {
    write(certFile, cert)
    write(keyFile, key)
  }
  put(certificate)
  const variables: Variables = {
    ...serveVariables(port),
    MINTMARK_BASE_URL: `https://127.0.0.1:${port}`,
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: provider.audience,
    MINTMARK_WORKERS: '2',
    MINTMARK_DRAIN_SECONDS: '0',
    MINTMARK_TLS_CERT_FILE: certFile,
    MINTMARK_TLS_KEY_FILE: keyFile,
    ...more(folder),
  }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  // Files are looked at again at once, where a service in production waits two seconds.
  const timing = { reloadPollMs: 100, reloadSettleMs: 20 }
  const ready = /another audience\.\n/
  const running = await start(t, folder, { timing, args: ['serve'], variables, ready })
  return { folder, port, variables, running, put, write, certFile, keyFile }
}

export type ServingTls = Awaited<ReturnType<typeof startTls>>

/** One answer, and the connection that it came over. */
export const readOver = async (options: RequestOptions) => {
  const asked = getOver({ host: '127.0.0.1', rejectUnauthorized: false, ...options })
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, socket: asked.socket as TLSSocket, body: await text(answer) }
}
