// A controllable identity provider on a real port: metadata, a key set, and JWTs signed with the keys in it.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { KeyObject } from 'node:crypto'
import { CompactSign, exportJWK, generateKeyPair, type CompactJWSHeaderParameters, type JWK } from 'jose'
import { authorize, makeTokenEndpoint, type TokenEndpoint } from './token-endpoint.ts'

/** What goes wrong: for every request, until `recover()`. `redirect` and `other_issuer` still name the right keys. */
export type Failure = 'error' | 'hang' | 'redirect' | 'malformed' | 'oversized' | 'other_issuer'

type SigningPair = { readonly alg: string; readonly kid: string; readonly privateKey: CryptoKey; readonly jwk: JWK }

export type JwtHeader = { readonly [name: string]: unknown; readonly alg?: string; readonly kid?: string | undefined }

export type IdentityProvider = {
  readonly issuer: string
  readonly audience: string
  readonly jwksUri: string
  /** Requests so far, by what they asked for. */
  readonly fetches: { readonly metadata: number; readonly jwks: number }
  /** The members of the key set; a test may change them. */
  readonly publicJwks: JWK[]
  readonly tokens: TokenEndpoint
  /** The members of the metadata that a sign-in reads; a test may change them. */
  readonly signInMetadata: Record<string, unknown>
  /** The newest key of an algorithm, for what no library would sign. */
  keyOf(alg: string): { readonly alg: string; readonly kid: string; readonly jwk: JWK; readonly privateKey: KeyObject }
  /** Signs any claims, with the newest key of `alg` (by default the first algorithm) unless `kid` names another. */
  sign(claims: object, header?: JwtHeader): Promise<string>
  /** A JWT that passes: iss, aud, sub, iat, exp and the claim `roles`; any of them may be given otherwise. */
  operatorJwt(
    claims?: { readonly role?: string; readonly [claim: string]: unknown },
    header?: JwtHeader,
  ): Promise<string>
  /** Takes every key out of the set and makes new ones. The old ones still sign, by their `kid`. Returns the old `kid`s. */
  rotate(): Promise<readonly string[]>
  fail(failure: Failure): void
  recover(): void
  close(): Promise<void>
}

export type IdentityProviderOptions = {
  readonly algorithms?: readonly string[]
  readonly audience?: string
  /** The path of the issuer: `/tenant`, or `/` for an issuer that ends in a slash. */
  readonly path?: string
  /** The metadata stands where RFC 8414 §3.1 wants it, and not where OpenID Connect does. */
  readonly metadata?: 'openid' | 'oauth'
  /** The clock, in milliseconds, from which `operatorJwt` counts. */
  readonly now?: () => number
  /** Its first RSA key is that of all such providers of this process, for to make one takes 40 ms; the default is a new one. */
  readonly firstRsaKey?: 'shared'
}

const LIFETIME_SECONDS = 300

const makePair = async (alg: string, number: number): Promise<SigningPair> => {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const kid = `${alg}-${number}`
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

const shared = new Map<string, Promise<SigningPair>>()

const sharePair = (alg: string): Promise<SigningPair> => {
  const pair = shared.get(alg) ?? makePair(alg, 1)
  shared.set(alg, pair)
  return pair
}

const answerJson = (response: ServerResponse, body: string): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

const answerFailure = (failure: Failure | undefined, request: IncomingMessage, response: ServerResponse): boolean => {
  switch (failure) {
    case 'error':
      response.writeHead(500).end('{}')
      return true
    case 'hang':
      return true
    case 'redirect':
      if (request.url?.endsWith('?redirected') === true) return false
      response.writeHead(302, { location: `${request.url ?? ''}?redirected` }).end()
      return true
    case 'malformed':
      answerJson(response, '{"keys":')
      return true
    case 'oversized':
      answerJson(response, JSON.stringify({ keys: [], padding: 'x'.repeat(1_000_000) }))
      return true
    case 'other_issuer':
    case undefined:
      return false
  }
}

/** The keys of a provider: the newest of each algorithm are public, all that there ever were can sign. */
const makeKeyring = (algorithms: readonly string[], firstRsaKey: 'shared' | undefined) => {
  const publicJwks: JWK[] = []
  let pairs: readonly SigningPair[] = []
  let rotations = 0
  return {
    publicJwks,
    rotate: async (): Promise<readonly string[]> => {
      const before = pairs.map(pair => pair.kid)
      rotations += 1
      const isShared = (alg: string): boolean => firstRsaKey === 'shared' && rotations === 1 && alg.startsWith('RS')
      const made = await Promise.all(algorithms.map(alg => (isShared(alg) ? sharePair(alg) : makePair(alg, rotations))))
      pairs = [...made, ...pairs]
      publicJwks.splice(0, publicJwks.length, ...made.map(pair => ({ ...pair.jwk })))
      return before
    },
    keyOf: (alg: string) => {
      const pair = pairs.find(one => one.alg === alg)
      if (pair === undefined) throw new Error(`The identity provider has no key for ${alg}.`)
      return { ...pair, privateKey: KeyObject.from(pair.privateKey) }
    },
    sign: async (claims: object, header: JwtHeader = {}): Promise<string> => {
      const alg = header.alg ?? algorithms[0]
      const pair = pairs.find(one => one.kid === header.kid) ?? pairs.find(one => one.alg === alg)
      if (pair === undefined) throw new Error(`The identity provider has no key for ${String(alg)}.`)
      const members = { typ: 'JWT', kid: pair.kid, ...header, alg: header.alg ?? pair.alg }
      return new CompactSign(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader(members as CompactJWSHeaderParameters)
        .sign(pair.privateKey)
    },
  }
}

const listen = async (answer: RequestListener): Promise<{ origin: string; close: () => Promise<void> }> => {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The identity provider has no port.')
  const end = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  let ended: Promise<void> | undefined
  const close = (): Promise<void> => (ended ??= end())
  return { origin: `http://127.0.0.1:${address.port}`, close }
}

export const startIdentityProvider = async (options: IdentityProviderOptions = {}): Promise<IdentityProvider> => {
  const { algorithms = ['ES256'], audience = 'https://mintmark.test', path = '', now = Date.now } = options
  const fetches = { metadata: 0, jwks: 0 }
  const { publicJwks, rotate, keyOf, sign } = makeKeyring(algorithms, options.firstRsaKey)
  const tokens = makeTokenEndpoint()
  let failure: Failure | undefined
  const base = path.replace(/\/$/, '')
  const jwksPath = `${base}/jwks`
  const metadataPath =
    options.metadata === 'oauth'
      ? `/.well-known/oauth-authorization-server${base}`
      : `${base}/.well-known/openid-configuration`

  const { origin, close } = await listen((request, response) => {
    const [asked] = (request.url ?? '').split('?')
    if (asked === metadataPath) fetches.metadata += 1
    if (asked === jwksPath) fetches.jwks += 1
    if (answerFailure(failure, request, response)) return
    const named = failure === 'other_issuer' ? `${issuer}/other` : issuer
    if (asked === metadataPath)
      answerJson(response, JSON.stringify({ issuer: named, jwks_uri: jwksUri, ...signInMetadata }))
    else if (asked === `${base}/token`) void tokens.answer(request, response, { issuer, sign, operatorJwt })
    else if (asked === `${base}/authorize`)
      response.writeHead(302, { location: authorize(new URL(request.url ?? '', origin)) }).end()
    else if (asked === jwksPath) answerJson(response, JSON.stringify({ keys: publicJwks }))
    else response.writeHead(404).end()
  })
  const issuer = origin + path
  const jwksUri = origin + jwksPath
  const signInMetadata: Record<string, unknown> = {
    authorization_endpoint: `${origin}${base}/authorize`,
    token_endpoint: `${origin}${base}/token`,
    id_token_signing_alg_values_supported: algorithms,
  }
  const operatorJwt: IdentityProvider['operatorJwt'] = (
    { role = 'mintmark-operator', ...claims } = {},
    header = {},
  ) => {
    const iat = Math.floor(now() / 1000)
    const usual = { iss: issuer, aud: audience, sub: 'operator-1', iat, exp: iat + LIFETIME_SECONDS, roles: [role] }
    return sign({ ...usual, ...claims }, header)
  }

  await rotate()
  return {
    issuer,
    audience,
    jwksUri,
    fetches,
    publicJwks,
    keyOf,
    sign,
    tokens,
    signInMetadata,
    operatorJwt,
    rotate,
    fail: mode => {
      failure = mode
    },
    recover: () => {
      failure = undefined
    },
    close,
  }
}
