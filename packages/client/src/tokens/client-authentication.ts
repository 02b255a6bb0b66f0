// How a client says who it is at the token endpoint: a secret, an assertion that it signs, a token of its platform, or a
// certificate that its `fetch` presents.
import { SignJWT } from 'jose'
import { formEncode } from '../wire/redaction.ts'
import { FileFault, readTextFile } from '../wire/text-file.ts'
import { importPrivateKey, type PrivateKey, readPrivateKey, type SigningKey } from './private-key.ts'

export type Credential =
  | { readonly kind: 'secret'; readonly read: () => Promise<string>; readonly method: SecretMethod }
  | { readonly kind: 'key'; readonly read: () => Promise<SigningKey> }
  | { readonly kind: 'workload'; readonly path: string }
  | { readonly kind: 'certificate' }

/** The place of a secret in a request (RFC 6749 §2.3.1). */
export type SecretMethod = 'client_secret_post' | 'client_secret_basic'

/** What a request carries; `secrets` are the parts of it that no message may repeat. */
export type Authentication = {
  readonly fields: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const ASSERTION_LIFETIME_SECONDS = 60

const assertion = (value: string, clientId: string | undefined): Authentication => ({
  fields: {
    ...(clientId !== undefined && { client_id: clientId }),
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: value,
  },
  headers: {},
  secrets: [value],
})

/** Secrets that were imported from elsewhere may hold more than RFC 6749 Appendix A.2 allows. */
const isSecret = (secret: string): boolean => /^[^\p{Cc}\p{Cs}]{1,8192}$/u.test(secret)

/** Anything else is a file with more than a secret. */
const checkSecret = (secret: string): string => {
  if (isSecret(secret)) return secret
  throw new FileFault('the client secret is not one line of 1 to 8192 characters')
}

const checkAssertion = (token: string, path: string): string => {
  if (/^[A-Za-z0-9._-]+$/.test(token)) return token
  throw new FileFault(`the file ${JSON.stringify(path)} holds no JWT`)
}

const withSecret = (clientId: string, secret: string, method: SecretMethod): Authentication => {
  if (method === 'client_secret_post') {
    return { fields: { client_id: clientId, client_secret: secret }, headers: {}, secrets: [secret] }
  }
  const basic = btoa(`${formEncode(clientId)}:${formEncode(secret)}`)
  return { fields: {}, headers: { authorization: `Basic ${basic}` }, secrets: [secret, basic] }
}

/** RFC 7523 §3: issued by the client, of itself, for this server, once. */
const signAssertion = async (
  clientId: string,
  audience: string,
  { key, alg, kid }: SigningKey,
  nowMs: number,
): Promise<string> => {
  const now = Math.floor(nowMs / 1000)
  return new SignJWT({})
    .setProtectedHeader({ alg, ...(kid !== undefined && { kid }) })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(audience)
    .setJti(crypto.randomUUID())
    .setIssuedAt(now)
    .setExpirationTime(now + ASSERTION_LIFETIME_SECONDS)
    .sign(key)
}

export type AuthenticationContext = {
  readonly clientId: string | undefined
  /** `aud` of an assertion: the issuer (RFC 7523 as revised), or the token endpoint where no issuer is known. */
  readonly audience: string
  readonly nowMs: number
}

/** Anew for each request: an assertion may be used once, and files may have changed. */
export const authenticate = async (
  credential: Credential,
  { clientId, audience, nowMs }: AuthenticationContext,
): Promise<Authentication> => {
  switch (credential.kind) {
    case 'secret':
      return withSecret(clientId ?? '', checkSecret(await credential.read()), credential.method)
    case 'key':
      return assertion(await signAssertion(clientId ?? '', audience, await credential.read(), nowMs), clientId)
    case 'workload':
      return assertion(checkAssertion(await readTextFile(credential.path), credential.path), clientId)
    case 'certificate':
      return { fields: { client_id: clientId ?? '' }, headers: {}, secrets: [] }
  }
}

export type CredentialOptions = {
  readonly clientSecret?: string | undefined
  readonly clientSecretFile?: string | undefined
  readonly privateKey?: PrivateKey | undefined
  readonly privateKeyFile?: string | undefined
  readonly workloadTokenFile?: string | undefined
  readonly clientCertificate?: boolean | undefined
  readonly clientSecretMethod?: SecretMethod | undefined
}

const secretOf = (read: () => Promise<string>, method: SecretMethod | undefined): Credential => ({
  kind: 'secret',
  read,
  method: method ?? 'client_secret_post',
})

const onceImported = (given: PrivateKey): Credential => {
  let imported: Promise<SigningKey> | undefined
  return { kind: 'key', read: () => (imported ??= importPrivateKey(given)) }
}

const CREDENTIALS = 'clientSecret, clientSecretFile, privateKey, privateKeyFile, workloadTokenFile or clientCertificate'

/** Throws a TypeError unless exactly one is given. */
export const credentialOf = (options: CredentialOptions): Credential => {
  const { clientSecret, clientSecretFile, privateKey, privateKeyFile, workloadTokenFile } = options
  const found: readonly (Credential | false)[] = [
    clientSecret !== undefined && secretOf(() => Promise.resolve(clientSecret), options.clientSecretMethod),
    clientSecretFile !== undefined && secretOf(() => readTextFile(clientSecretFile), options.clientSecretMethod),
    privateKey !== undefined && onceImported(privateKey),
    privateKeyFile !== undefined && { kind: 'key', read: () => readPrivateKey(privateKeyFile) },
    workloadTokenFile !== undefined && { kind: 'workload', path: workloadTokenFile },
    options.clientCertificate === true && { kind: 'certificate' },
  ]
  const given = found.filter(one => one !== false)
  const [credential] = given
  if (clientSecret !== undefined && !isSecret(clientSecret)) {
    throw new TypeError('clientSecret is not one line of 1 to 8192 characters.')
  }
  if (credential !== undefined && given.length === 1) return credential
  throw new TypeError(`${given.length} credentials are given; expected exactly one of ${CREDENTIALS}.`)
}
