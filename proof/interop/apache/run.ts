// Apache's mod_oauth2 and mod_auth_openidc from Debian, with the files of docs/recipes/apache.md.
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { CERTIFICATE, PRIVATE_KEY } from '../../../testkit/keys/loopback-certificate.ts'
import { holdTo, ISSUER, withGateway } from '../debian/gateway.ts'

type Try = {
  readonly module: string
  readonly recipe: string
  /** What is written otherwise than in the recipe, to see what it is for. */
  readonly changes?: readonly (readonly [from: string, to: string])[]
  readonly issuer: string
  readonly pages: Readonly<Record<string, { readonly seesRevocation: boolean }>>
}

/** The service with TLS in front of it. */
const startTls = async () => {
  const proxy = createServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (incoming, answer) => {
    const { method, headers } = incoming
    const asked = httpRequest(ISSUER + (incoming.url ?? ''), { method, headers }, answered => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    incoming.pipe(asked)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return { proxy, issuer: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}` }
}

const replaceOnce = (text: string, [from, to]: readonly [string, string]): string => {
  if (!text.includes(from)) throw new Error(`The recipe does not hold ${from}.`)
  return text.replace(from, to)
}

const run = ({ module, recipe, changes = [], issuer, pages }: Try): Promise<void> =>
  withGateway(
    'apache2',
    ({ folder }) => {
      for (const page of Object.keys(pages)) writeFileSync(join(folder, page), 'here')
      writeFileSync(join(folder, 'certificate.pem'), CERTIFICATE)
      const text = readFileSync(join(import.meta.dirname, recipe), 'utf8')
      writeFileSync(join(folder, recipe), changes.reduce(replaceOnce, text))
      const env = { MODULE: module, RECIPE: join(folder, recipe), ISSUER: issuer }
      return { args: ['-f', join(import.meta.dirname, 'httpd.conf'), '-D', 'FOREGROUND'], env }
    },
    async origin => {
      for (const [page, held] of Object.entries(pages)) await holdTo({ address: `${origin}/${page}`, ...held })
    },
  )

const oauth2 = { module: 'oauth2', recipe: 'mod-oauth2.conf', issuer: ISSUER }
const openidc = { module: 'auth_openidc', recipe: 'mod-auth-openidc.conf' }
const { proxy, issuer } = await startTls()
try {
  await run({ ...oauth2, pages: { introspected: { seesRevocation: true }, keys: { seesRevocation: false } } })
  await run({ ...openidc, issuer, pages: { introspected: { seesRevocation: true } } })
  const hidden = { introspected: { seesRevocation: false } }
  await run({ ...oauth2, changes: [['&expiry=0', '']], pages: hidden })
  // In shared memory without encryption the token itself is the key, and ours are longer than that takes.
  const kept = ['OIDCOAuthClientID', 'OIDCCacheEncrypt On\nOIDCCryptoPassphrase interop\nOIDCOAuthClientID'] as const
  await run({ ...openidc, issuer, changes: [['OIDCOAuthTokenIntrospectionInterval -1', ''], kept], pages: hidden })
} finally {
  proxy.closeAllConnections()
  proxy.close()
}
