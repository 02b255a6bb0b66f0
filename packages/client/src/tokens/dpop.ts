// Proofs that the sender of a token holds the key to which it is bound (RFC 9449), and the nonces that servers ask them for.
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

/** How many nonces are kept, one for each server. */
const NONCES_MAX = 100
const NONCE = /^[\x21\x23-\x5B\x5D-\x7E]{1,512}$/

export type Proof = {
  readonly method: string
  readonly url: string
  /** The token that is sent with it; none at the token endpoint. */
  readonly token?: string
}

export type Prover = {
  /** The value of the header `DPoP`. */
  readonly prove: (proof: Proof, nowMs: number) => Promise<string>
  /** Keeps the nonce of an answer for the next proof to this server; false where it brought none that was not kept yet. */
  readonly learn: (url: string, headers: Headers) => boolean
}

type KeyPair = { readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']; readonly jwk: JWK }

/** The private key never leaves the runtime: it is made there, and cannot be exported. */
const makeKeyPair = async (): Promise<KeyPair> => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: false })
  return { privateKey, jwk: await exportJWK(publicKey) }
}

const digestOf = async (token: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Returns the URL without query and fragment (RFC 9449 §4.2). */
const targetOf = (url: string): string => {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

export const makeProver = (): Prover => {
  let keyPair: Promise<KeyPair> | undefined
  /** The nonces by origin (§8.2), the least recently learned first. */
  const nonces = new Map<string, string>()

  return {
    prove: async ({ method, url, token }, nowMs) => {
      const { privateKey, jwk } = await (keyPair ??= makeKeyPair())
      const nonce = nonces.get(new URL(url).origin)
      const claims = {
        htm: method,
        htu: targetOf(url),
        ...(token !== undefined && { ath: await digestOf(token) }),
        ...(nonce !== undefined && { nonce }),
      }
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .setJti(crypto.randomUUID())
        .setIssuedAt(Math.floor(nowMs / 1000))
        .sign(privateKey)
    },
    learn: (url, headers) => {
      const nonce = headers.get('dpop-nonce')
      if (nonce === null || !NONCE.test(nonce)) return false
      const { origin } = new URL(url)
      const isNew = nonces.get(origin) !== nonce
      nonces.delete(origin)
      nonces.set(origin, nonce)
      const [oldest] = nonces.keys()
      if (nonces.size > NONCES_MAX && oldest !== undefined) nonces.delete(oldest)
      return isNew
    },
  }
}
