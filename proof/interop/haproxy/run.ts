// HAProxy from Debian, with the files of docs/recipes/haproxy.md.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { holdToCertificates, writeCertificates } from '../debian/client-certificates.ts'
import { holdTo, ISSUER, withGateway } from '../debian/gateway.ts'
import { freePort } from '../service.ts'

const TLS_PORT = String(await freePort())

const file = (name: string): string => join(import.meta.dirname, name)

await withGateway(
  'haproxy',
  ({ folder }) => {
    execFileSync(process.execPath, [file('write-keys.mjs'), ISSUER, folder])
    writeCertificates(folder)
    const files = ['frame.cfg', 'mintmark.cfg', 'client-certificates.cfg'].flatMap(name => ['-f', file(name)])
    return { args: ['-db', ...files], env: { KEYS: folder, TLS_PORT, SERVICE: new URL(ISSUER).host } }
  },
  async origin => {
    await holdTo({ address: `${origin}/`, seesRevocation: false })
    await holdToCertificates(`https://127.0.0.1:${TLS_PORT}`, {
      name: 'client-cert',
      write: der => `:${Buffer.from(der).toString('base64')}:`,
      otherAuthority: 'no connection',
    })
  },
)
