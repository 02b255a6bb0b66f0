// Tokens of the service for one recipe: those that it accepts and those that it must not.
import assert from 'node:assert/strict'
import { createHash, createHmac, createPrivateKey, createPublicKey, randomUUID } from 'node:crypto'
import {
  type Change,
  encodeJson,
  makeProof,
  makeProofKey,
  type ProofKey,
  signParts,
} from '../../../testkit/keys/dpop.ts'
import { CN, makeCertificate } from '../../../testkit/keys/make-certificate.ts'
import { type Client, clientOf, ISSUER, ORDERS, variable } from './environment.ts'

type Fields = Readonly<Record<string, string>>

export const NEEDED = 'db:read'
const OTHER_SCOPE = 'db:write'
const OTHER_RESOURCE = 'https://mail.example'
/** Longer than any recipe allows for clocks that differ. */
const LEEWAY_SECONDS = 400
const EXCHANGE = {
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
}

const proofKey = makeProofKey()
const otherKey = makeProofKey()
const certificate = makeCertificate({ subject: [[[CN, 'interop']]] })

const now = (): number => Math.floor(Date.now() / 1000)

/** A proof of the key of bound tokens, for one request. */
export const prove = (htm: string, htu: string, more: Change = {}, key = proofKey): string =>
  makeProof(key, { claims: { htm, htu, iat: now(), jti: randomUUID(), ...more } })

/** What is wrong with a proof beside the request that it is for. */
export const FLAWED_PROOFS: Readonly<Record<string, (htm: string, htu: string, right: Change) => string>> = {
  'by another key': (htm, htu, right) => prove(htm, htu, right, otherKey),
  'with another signature': (htm, htu, right) => forge(prove(htm, htu, right)),
  'without a signature': (htm, htu, right) => prove(htm, htu, right).replace(/[^.]*$/, ''),
  'without ath': (htm, htu) => prove(htm, htu),
  'of another token': (htm, htu) => prove(htm, htu, { ath: hashOf('another') }),
  old: (htm, htu, right) => prove(htm, htu, { ...right, iat: now() - LEEWAY_SECONDS }),
  'for another host': (htm, htu, right) => prove(htm, htu.replace('//', '//other.'), right),
}

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
  const [first, second] = token.split('.')
  const signed = { ...jsonOf(first), alg: 'ES256', kid: variable('SIGNING_KID'), ...header }
  return signParts(serviceKey(), JSON.stringify(signed), JSON.stringify({ ...jsonOf(second), ...claims }))
}

const forge = (token: string): string => `${token.slice(0, token.lastIndexOf('.'))}.${'A'.repeat(86)}`

/** Members that only one kind of token has: undefined leaves them out. */
const ID_TOKEN = { client_id: undefined, scope: undefined, jti: undefined, nonce: 'n', azp: variable('CLIENT_ID') }

/** A signature that a published key makes where it is taken for a secret. */
const signByPublicKey = (token: string): string => {
  const [, claims = ''] = token.split('.')
  const secret = createPublicKey(serviceKey().privateKey).export({ type: 'spki', format: 'pem' })
  const input = `${encodeJson({ alg: 'HS256', typ: 'at+jwt', kid: variable('SIGNING_KID') })}.${claims}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}

/** A good token with one thing wrong: the service has signed it, unless it says otherwise. */
const flawedOf = (good: string, resource: string): Readonly<Record<string, string>> => {
  const signed = (claims: Change, header: Change = {}) => signAgain(good, { header, claims })
  return {
    forged: forge(good),
    expired: signed({ exp: now() - LEEWAY_SECONDS, iat: now() - 2 * LEEWAY_SECONDS }),
    'not yet valid': signed({ nbf: now() + LEEWAY_SECONDS }),
    'without exp': signed({ exp: undefined }),
    'ID token': signed(ID_TOKEN, { typ: 'JWT' }),
    'JWT of another type': signed({}, { typ: 'JWT' }),
    'of another issuer': signed({ iss: 'https://auth.example' }),
    'for an audience that ours begins with': signed({ aud: new URL(resource).origin }),
    'for an audience that begins with ours': signed({ aud: `${resource}/more` }),
    'with a critical header that nobody knows': signed({}, { crit: ['x'], x: true }),
    'alg none': `${encodeJson({ alg: 'none', typ: 'at+jwt' })}.${good.split('.')[1]}.`,
    'signed by the public key': signByPublicKey(good),
  }
}

export const makeTokens = async (resource: string) => {
  const good = await takeGood(resource)
  return {
    good,
    revoked: await takeGood(resource),
    otherAudience: await take({ resource: OTHER_RESOURCE }),
    otherScope: await take({ resource, scope: OTHER_SCOPE }),
    boundToKey: await takeBoundToKey(resource),
    boundToCertificate: await takeBoundToCertificate(resource),
    delegated: await takeDelegated(resource),
    signedAgain: signAgain(good, { header: {}, claims: {} }),
    scopeAlike: signAgain(good, { header: {}, claims: { scope: `${NEEDED}er x${NEEDED}` } }),
    flawed: flawedOf(good, resource),
  }
}

export type Tokens = Awaited<ReturnType<typeof makeTokens>>

export const revoke = async (token: string): Promise<void> =>
  assert.equal((await post('/oauth/revoke', clientOf(''), { token })).status, 200)
