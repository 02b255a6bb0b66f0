// What nginx and HAProxy share in front of the service: certificates of clients, and what each client must hear.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { CERTIFICATE, PRIVATE_KEY } from '../../../testkit/keys/loopback-certificate.ts'
import { C, CN, makeAuthority, makeCertificate, O } from '../../../testkit/keys/make-certificate.ts'
import { ISSUER, variable } from '../requests/environment.ts'

const SUBJECT = [[[C, 'DE']], [[O, 'Example, Inc.']], [[CN, 'reports']]] as const
const CLIENT_ID = variable('CLIENT_ID')

const authority = makeAuthority('clients')
const own = makeCertificate({ subject: SUBJECT, authority })

/** What both read from their folder. */
export const writeCertificates = (folder: string): void => {
  const files = {
    'server.pem': CERTIFICATE,
    'server.key': PRIVATE_KEY,
    'server-and-key.pem': CERTIFICATE + PRIVATE_KEY,
    'authorities.pem': authority.cert,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}

const trustSubject = async (): Promise<void> => {
  const response = await fetch(`${ISSUER}/api/v1/agents/${CLIENT_ID}/credentials`, {
    method: 'POST',
    headers: { 'x-api-key': variable('WRITER_API_KEY'), 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'its certificate',
      tls_client_auth: { subject_dn: 'CN=reports,O=Example\\, Inc.,C=DE' },
    }),
  })
  assert.equal(response.status, 201)
}

type Way = { readonly connection: RequestOptions; readonly headers?: Readonly<Record<string, string>> }

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** The status and the code of a refusal; or that there was no connection. */
const ask = async (open: typeof httpsRequest, origin: string, { headers, connection }: Way): Promise<string> => {
  const sent = { ...FORM, ...headers }
  const request = open(`${origin}/oauth/token`, { ...connection, method: 'POST', agent: false, headers: sent })
  request.end(new URLSearchParams({ grant_type: 'client_credentials', client_id: CLIENT_ID }).toString())
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const { error = '' } = (await json(response).catch(() => ({}))) as { readonly error?: string }
    return `${response.statusCode} ${error}`.trim()
  } catch {
    return 'no connection'
  }
}

/** `name` and `write` are the header that the proxy sets: nobody else may. */
export const holdToCertificates = async (
  origin: string,
  {
    name,
    write,
    otherAuthority,
  }: { name: string; write: (der: Uint8Array, pem: string) => string; otherAuthority: string },
): Promise<void> => {
  await trustSubject()
  const forged = { [name]: write(own.der, own.cert) }
  const stranger = makeCertificate({ subject: SUBJECT, authority: makeAuthority('others') })
  const neighbour = makeCertificate({ subject: [[[CN, 'mail']]], authority })
  const showing = (shown: RequestOptions, headers = {}) =>
    ask(httpsRequest, origin, { connection: { ca: CERTIFICATE, ...shown }, headers })
  const seen = {
    'its certificate': await showing(own),
    'its certificate again': await showing(own),
    none: await showing({}),
    'none, and the header': await showing({}, forged),
    "a neighbour's": await showing(neighbour),
    "a neighbour's, and the header": await showing(neighbour, forged),
    'its name by another authority': await showing(stranger),
    'its name by itself': await showing(makeCertificate({ subject: SUBJECT })),
    'the header past the proxy': await ask(httpRequest, ISSUER, {
      connection: { localAddress: '127.0.0.9' },
      headers: forged,
    }),
  }
  console.log(origin, seen)
  const refused = '401 invalid_client'
  assert.deepEqual(seen, {
    'its certificate': '200',
    'its certificate again': '200',
    none: refused,
    'none, and the header': refused,
    "a neighbour's": refused,
    "a neighbour's, and the header": refused,
    'its name by another authority': otherAuthority,
    'its name by itself': otherAuthority,
    'the header past the proxy': '400 invalid_request',
  })
}
