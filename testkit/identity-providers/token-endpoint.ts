// The token endpoint of the controllable identity provider: codes and refresh tokens say themselves what they are for, and each is
// good once.
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

/** What a code stands for, and each refresh token that came of it. */
export type Granted = {
  readonly nonce: string
  readonly challenge: string
  /** The claims of the operator's JWT, as for `operatorJwt`. */
  readonly jwt: Readonly<Record<string, unknown>>
  /** The claims of the ID token besides the usual ones. */
  readonly id?: Readonly<Record<string, unknown>>
  /** The response in place of the usual one. */
  readonly answer?: object
  /** Whether a refresh token is given; the default is yes. */
  readonly renewable?: boolean
}

type Issuing = {
  readonly issuer: string
  readonly sign: (claims: object) => Promise<string>
  readonly operatorJwt: (claims: Readonly<Record<string, unknown>>) => Promise<string>
}

/** How an answer goes wrong, for every request; an object is an error of RFC 6749 §5.2, with the challenge that belongs to a 401. */
export type TokenFault = 'hang' | 'html' | 'error' | { readonly status: 400 | 401; readonly error: string }

export type TokenEndpoint = {
  /** The number of requests so far, by grant type. */
  readonly asked: Map<string, number>
  readonly answer: (request: IncomingMessage, response: ServerResponse, issuing: Issuing) => Promise<void>
  fault: TokenFault | undefined
  /** The claims of the JWTs that renewals return from then on. */
  renewed: Readonly<Record<string, unknown>>
}

export const CLIENT_ID = 'the-console'
export const CLIENT_SECRET = 'of-the-console'

const encode = (value: Granted & { readonly n: number }): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url')

/** Undefined for a code that is made up. */
const decode = (made: string): (Granted & { readonly n: number }) | undefined => {
  try {
    return JSON.parse(Buffer.from(made, 'base64url').toString()) as Granted & { readonly n: number }
  } catch {
    return undefined
  }
}

let codes = 0

/** Returns a code as if the operator had signed in on the page of the provider. */
export const codeFor = (granted: Granted): string => {
  codes += 1
  return encode({ ...granted, n: codes })
}

/** Where the page of the provider sends a browser that asked for `url`: everybody is signed in as an administrator, unasked. */
export const authorize = (url: URL): string => {
  const { searchParams: asked } = url
  const [nonce, challenge] = [asked.get('nonce') ?? '', asked.get('code_challenge') ?? '']
  const back = new URL(asked.get('redirect_uri') ?? '')
  back.searchParams.set('state', asked.get('state') ?? '')
  back.searchParams.set('code', codeFor({ nonce, challenge, jwt: { role: 'mintmark-admin' } }))
  return back.href
}

const answerFault = (fault: TokenFault, response: ServerResponse): void => {
  if (fault === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>')
  else if (fault === 'error') response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>500')
  else if (fault !== 'hang') {
    const { status, error } = fault
    const challenge = status === 401 && { 'www-authenticate': 'Basic realm="provider"' }
    response.writeHead(status, { 'content-type': 'application/json', ...challenge }).end(JSON.stringify({ error }))
  }
}

export const makeTokenEndpoint = (): TokenEndpoint => {
  const used = new Set<string>()
  const asked = new Map<string, number>()

  const grant = async (form: URLSearchParams, { issuer, sign, operatorJwt }: Issuing): Promise<object | undefined> => {
    const given = form.get('code') ?? form.get('refresh_token') ?? ''
    if (used.has(given)) return undefined
    used.add(given)
    const granted = decode(given)
    if (granted === undefined) return undefined
    const isCode = form.has('code')
    const verifier = form.get('code_verifier') ?? ''
    if (isCode && createHash('sha256').update(verifier).digest('base64url') !== granted.challenge) return undefined
    if (granted.answer !== undefined) return granted.answer
    const iat = Math.floor(Date.now() / 1000)
    const { nonce, id } = granted
    return {
      token_type: 'Bearer',
      access_token: await operatorJwt({ ...granted.jwt, ...(!isCode && endpoint.renewed) }),
      ...(isCode && {
        id_token: await sign({
          iss: issuer,
          aud: CLIENT_ID,
          sub: 'operator-1',
          name: 'Ada',
          iat,
          exp: iat + 60,
          nonce,
          ...id,
        }),
      }),
      ...(granted.renewable !== false && { refresh_token: encode({ ...granted, n: granted.n + 1_000_000 }) }),
    }
  }

  const endpoint: TokenEndpoint = {
    asked,
    fault: undefined,
    renewed: {},
    answer: async (request, response, issuing) => {
      const form = new URLSearchParams(await text(request))
      const type = form.get('grant_type') ?? ''
      asked.set(type, (asked.get(type) ?? 0) + 1)
      if (endpoint.fault !== undefined) return answerFault(endpoint.fault, response)
      const client = Buffer.from(request.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString()
      // RFC 6749 §2.3.1.
      const isClient = decodeURIComponent(client) === `${CLIENT_ID}:${CLIENT_SECRET}`
      const answer = isClient ? await grant(form, issuing) : undefined
      response.writeHead(answer === undefined ? 400 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer ?? { error: 'invalid_grant' }))
    },
  }
  return endpoint
}
