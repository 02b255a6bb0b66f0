// Tokens of the service for one recipe: those that it accepts and those that it must not.
import assert from 'node:assert/strict'
import { createHash, createPrivateKey, randomUUID } from 'node:crypto'
import { type Change, makeProof, makeProofKey, type ProofKey, signParts } from '../../../testkit/keys/dpop.ts'
import { CN, makeCertificate } from '../../../testkit/keys/make-certificate.ts'
import { type Client, clientOf, ISSUER, ORDERS, variable } from './environment.ts'

type Fields = Readonly<Record<string, string>>

export const NEEDED = 'db:read'
const OTHER_SCOPE = 'db:write'
const OTHER_RESOURCE = 'https://mail.example'
const HOUR_SECONDS = 3600
const EXCHANGE = {
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
}

const proofKey = makeProofKey()
const certificate = makeCertificate({ subject: [[[CN, 'interop']]] })

/** A proof of the key of bound tokens, for one request. */
export const prove = (htm: string, htu: string, more: Change = {}): string =>
  makeProof(proofKey, { claims: { htm, htu, iat: Math.floor(Date.now() / 1000), jti: randomUUID(), ...more } })

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url')

const post = (path: string, client: Client, fields: Fields, headers: Fields = {}): Promise<Response> =>
  fetch(ISSUER + path, { method: 'POST', headers, body: new URLSearchParams({ ...client, ...fields }) })

const tokenIn = async (response: Response): Promise<string> => {
  const answer = await response.text()
  assert.equal(response.status, 200, answer)
  return (JSON.parse(answer) as { readonly access_token: string }).access_token
}

const take = async (fields: Fields, client = clientOf(''), headers: Fields = {}): Promise<string> =>
  tokenIn(await post('/oauth/token', client, { grant_type: 'client_credentials', scope: NEEDED, ...fields }, headers))

export const takeGood = (resource: string): Promise<string> => take({ resource })

/** With the nonce of the service, which its first answer has. */
const takeBoundToKey = async (resource: string): Promise<string> => {
  const fields = { grant_type: 'client_credentials', scope: NEEDED, resource }
  const ask = (more: Change): Promise<Response> =>
    post('/oauth/token', clientOf(''), fields, { dpop: prove('POST', `${ISSUER}/oauth/token`, more) })
  const first = await ask({})
  return tokenIn(await ask({ nonce: first.headers.get('dpop-nonce') ?? '' }))
}

const takeBoundToCertificate = (resource: string): Promise<string> =>
  take({ resource }, clientOf('BOUND_'), {
    'client-cert': `:${Buffer.from(certificate.der).toString('base64')}:`,
  })

/** For the recipe, by an agent that was called itself. */
const takeDelegated = async (resource: string): Promise<string> => {
  const subject = await take({ resource: ORDERS })
  return take({ ...EXCHANGE, subject_token: subject, resource }, clientOf('ORDERS_'))
}

/** The key is in the published set: the service was started with it as its next one. */
const serviceKey = (): ProofKey => {
  const privateKey = createPrivateKey(variable('SIGNING_KEY'))
  return { alg: 'ES256', jwk: {}, privateKey }
}

const jsonOf = (part = ''): Change => JSON.parse(Buffer.from(part, 'base64url').toString()) as Change

type Parts = { readonly header: Change; readonly claims: Change }

/** What the service could have signed: this token with other members. */
const signAgain = (token: string, { header, claims }: Parts): string => {
  const [first, second] = token.split('.').map(part => part)
  const signed = { ...jsonOf(first), alg: 'ES256', kid: variable('SIGNING_KID'), ...header }
  return signParts(serviceKey(), JSON.stringify(signed), JSON.stringify({ ...jsonOf(second), ...claims }))
}

const forge = (token: string): string => `${token.slice(0, token.lastIndexOf('.'))}.${'A'.repeat(86)}`

const now = (): number => Math.floor(Date.now() / 1000)

/** Members that only one kind of token has: undefined leaves them out. */
const ID_TOKEN = { client_id: undefined, scope: undefined, jti: undefined, nonce: 'n', azp: variable('CLIENT_ID') }

export const makeTokens = async (resource: string) => {
  const good = await takeGood(resource)
  const revoked = await takeGood(resource)
  return {
    good,
    revoked,
    forged: forge(good),
    otherAudience: await take({ resource: OTHER_RESOURCE }),
    otherScope: await take({ resource, scope: OTHER_SCOPE }),
    boundToKey: await takeBoundToKey(resource),
    boundToCertificate: await takeBoundToCertificate(resource),
    delegated: await takeDelegated(resource),
    signedAgain: signAgain(good, { header: {}, claims: {} }),
    expired: signAgain(good, { header: {}, claims: { exp: now() - HOUR_SECONDS, iat: now() - 2 * HOUR_SECONDS } }),
    idToken: signAgain(good, { header: { typ: 'JWT' }, claims: ID_TOKEN }),
    otherType: signAgain(good, { header: { typ: 'JWT' }, claims: {} }),
  }
}

export type Tokens = Awaited<ReturnType<typeof makeTokens>>

export const revoke = async (token: string): Promise<void> =>
  assert.equal((await post('/oauth/revoke', clientOf(''), { token })).status, 200)
