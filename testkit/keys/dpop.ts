// DPoP proofs as a client makes them, and as none should.
import { constants, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import type { JWK } from 'jose'
import { type Answer, basic, FORM, send } from '../callers/requests.ts'
import type { AgentOfTest, TestServer } from '../services/test-server.ts'

export type ProofKey = { readonly alg: string; readonly jwk: JWK; readonly privateKey: KeyObject }

const pairOf = (alg: string, bits: number): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } => {
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (alg === 'ES384') return generateKeyPairSync('ec', { namedCurve: 'P-384' })
  return alg.startsWith('Ed') ? generateKeyPairSync('ed25519') : generateKeyPairSync('rsa', { modulusLength: bits })
}

export const makeProofKey = (alg = 'ES256', bits = 2048): ProofKey => {
  const { publicKey, privateKey } = pairOf(alg, bits)
  return { alg, jwk: publicKey.export({ format: 'jwk' }) as JWK, privateKey }
}

const signWith = ({ alg, privateKey: key }: ProofKey, text: string): Buffer => {
  const hash = alg.startsWith('Ed') || alg.startsWith('ML') ? null : alg === 'ES384' ? 'sha384' : 'sha256'
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  return sign(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363', ...(alg === 'PS256' && padding) })
}

export const encodeJson = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns any text, and after a dot its signature. */
export const signedText = (key: ProofKey, input: string): string =>
  `${input}.${signWith(key, input).toString('base64url')}`

/** Signs the two texts as they are, in whatever JSON they hold. */
export const signParts = (key: ProofKey, header: string, payload: string): string => {
  const input = [header, payload].map(part => Buffer.from(part).toString('base64url')).join('.')
  return signedText(key, input)
}

export type Change = Readonly<Record<string, unknown>>

/** What is to be other than in a good proof; undefined leaves a member out. */
export type ProofChange = { readonly header?: Change; readonly claims?: Change }

export const headerOf = ({ alg, jwk }: ProofKey): Change => ({ typ: 'dpop+jwt', alg, jwk })

export const makeProof = (key: ProofKey, { header, claims }: ProofChange): string =>
  signParts(key, JSON.stringify({ ...headerOf(key), ...header }), JSON.stringify({ htm: 'POST', ...claims }))

/** The claims of a good proof for this service, now. */
export const goodClaims = ({ baseUrl, clock }: Pick<TestServer, 'baseUrl' | 'clock'>): Change => ({
  htu: `${baseUrl}/oauth/token`,
  iat: Math.floor(clock.wall() / 1000),
  jti: randomUUID(),
})

/** A token request with these DPoP headers. */
export const askWith = (
  service: TestServer,
  agent: AgentOfTest,
  dpop: string | readonly string[],
  fields: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  send(service, {
    method: 'POST',
    path: '/oauth/token',
    headers: { ...FORM, ...basic(agent.clientId, agent.clientSecret), dpop },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...fields }).toString(),
  })

/** The nonce that the service demands now. */
export const fetchNonce = async (service: TestServer, agent: AgentOfTest): Promise<string> => {
  const refused = await askWith(service, agent, makeProof(makeProofKey(), { claims: goodClaims(service) }))
  return refused.headers['dpop-nonce'] ?? ''
}
