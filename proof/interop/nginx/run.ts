// nginx from Debian with its JavaScript module, with the files of docs/recipes/nginx.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { holdToCertificates, writeCertificates } from '../debian/client-certificates.ts'
import { DEBIAN, holdTo, RESOURCE, withGateway } from '../debian/gateway.ts'
import { freePort } from '../service.ts'

const TLS_PORT = String(await freePort())

const substitute = (name: string, variables: Readonly<Record<string, string | undefined>>): string =>
  readFileSync(join(import.meta.dirname, name), 'utf8').replaceAll(
    /\$\{(\w+)\}/g,
    (_text, variable: string) => variables[variable] ?? '',
  )

await withGateway(
  'nginx',
  ({ origin, folder }) => {
    const { port: PORT } = new URL(origin)
    const variables = { ...process.env, DEBIAN, FOLDER: folder, PORT, RESOURCE, RECIPES: import.meta.dirname, TLS_PORT }
    for (const name of ['nginx.conf', 'mintmark.conf', 'client-certificates.conf']) {
      writeFileSync(join(folder, name), substitute(`${name}.template`, variables))
    }
    writeFileSync(join(folder, 'page'), 'here')
    writeCertificates(folder)
    return { args: ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')] }
  },
  async origin => {
    await holdTo({ address: `${origin}/page`, seesRevocation: true })
    await holdToCertificates(`https://127.0.0.1:${TLS_PORT}`, {
      name: 'x-client-cert',
      write: (_der, pem) => encodeURIComponent(pem),
      otherAuthority: '400',
    })
  },
)
