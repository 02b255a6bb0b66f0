// nginx from Debian in front of the service, with the file of docs/run/tls-and-proxies.md.
import { join } from 'node:path'
import { holdToCertificates, writeCertificates } from '../debian/client-certificates.ts'
import { substitute, withGateway } from '../debian/gateway.ts'
import { ISSUER } from '../requests/environment.ts'
import { freePort } from '../service.ts'

const TLS_PORT = String(await freePort())

await withGateway(
  'nginx',
  ({ origin, folder }) => {
    const variables = { ISSUER, FOLDER: folder, PORT: new URL(origin).port, TLS_PORT }
    for (const name of ['nginx.conf', 'client-certificates.conf']) {
      substitute(join(import.meta.dirname, `${name}.template`), join(folder, name), variables)
    }
    writeCertificates(folder)
    return { args: ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')] }
  },
  () =>
    holdToCertificates(`https://127.0.0.1:${TLS_PORT}`, {
      name: 'x-client-cert',
      write: (_der, pem) => encodeURIComponent(pem),
      otherAuthority: '400',
    }),
)
