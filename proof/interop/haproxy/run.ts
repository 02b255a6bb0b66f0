// HAProxy from Debian in front of the service, with the file of docs/run/tls-and-proxies.md.
import { join } from 'node:path'
import { holdToCertificates, writeCertificates } from '../debian/client-certificates.ts'
import { withGateway } from '../debian/gateway.ts'
import { ISSUER } from '../requests/environment.ts'
import { freePort } from '../service.ts'

const TLS_PORT = String(await freePort())

await withGateway(
  'haproxy',
  ({ folder }) => {
    writeCertificates(folder)
    const files = ['frame.cfg', 'client-certificates.cfg'].flatMap(name => ['-f', join(import.meta.dirname, name)])
    return { args: ['-db', ...files], env: { TLS_PORT, SERVICE: new URL(ISSUER).host } }
  },
  () =>
    holdToCertificates(`https://127.0.0.1:${TLS_PORT}`, {
      name: 'client-cert',
      write: der => `:${Buffer.from(der).toString('base64')}:`,
      otherAuthority: 'no connection',
    }),
)
