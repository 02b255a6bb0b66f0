// The options of a new credential that say what it trusts in place of a secret, under the names of the API: keys, another
// issuer, or a TLS certificate (RFC 8705 §2).
import type { Command } from 'commander'
import { CommandFailed, EXIT } from './terminal/exit.ts'
import { parseDocument } from './terminal/parse-json.ts'
import { isRecord } from './terminal/print.ts'
import { readDocument } from './terminal/standard-input.ts'
import { createPublicKey, type webcrypto } from 'node:crypto'

// Public keys in PEM, as `openssl pkey -pubout` prints them or in certificates, as the JWKs that the API takes.

const BLOCK = /-----BEGIN ([A-Z0-9 ]{1,40})-----[A-Za-z0-9+/=\s]{0,100000}-----END \1-----/g

const PUBLIC = ['PUBLIC KEY', 'RSA PUBLIC KEY', 'CERTIFICATE', 'X509 CERTIFICATE', 'TRUSTED CERTIFICATE']

const isPem = (text: string): boolean => text.includes('-----BEGIN ')

const readKey = ([block, label = '']: RegExpMatchArray): webcrypto.JsonWebKey => {
  if (label.endsWith('PRIVATE KEY')) {
    throw new CommandFailed(
      `The file holds a private key (${label}), which stays where it is: give its public half, as \`openssl pkey -pubout\` prints it.`,
    )
  }
  if (!PUBLIC.includes(label)) throw new CommandFailed(`The file holds ${label} in PEM, which is no public key.`)
  try {
    return createPublicKey(block).export({ format: 'jwk' })
  } catch {
    throw new CommandFailed(`The file holds ${label} in PEM that cannot be read as a public key.`)
  }
}

/** Throws CommandFailed with one line for a person; no part of a key stands in it. */
export const readPemKeys = (text: string): readonly webcrypto.JsonWebKey[] => {
  const blocks = [...text.matchAll(BLOCK)]
  // A private key before anything else: what is wrong beside it does not matter.
  const first = blocks.find(([, label]) => label?.endsWith('PRIVATE KEY')) ?? blocks[0]
  if (first === undefined || blocks.length !== text.split('-----BEGIN ').length - 1)
    throw new CommandFailed('The file holds PEM that is damaged or not whole.')
  readKey(first)
  return blocks.map(readKey)
}

type AssertionOptions = {
  readonly jwksFile?: string
  readonly jwksUri?: string
  readonly acceptTokenEndpoint?: boolean
  readonly issuer?: string
  readonly subject?: string
  readonly audience?: string
}

const addAssertionOptions = (command: Command): Command =>
  command
    .optionsGroup('Keys of the client in place of a secret (private_key_jwt):')
    .option(
      '--jwks-file <file>',
      'its public keys, a JWK or a set of them, or in PEM, keys or certificates; - for standard input',
    )
    .option('--jwks-uri <url>', 'where they stand; with --issuer, where the keys of the issuer stand')
    .option('--accept-token-endpoint', 'let its assertions name the token endpoint as aud, beside the issuer')
    .optionsGroup('Tokens of another issuer in place of a secret (workload_identity):')
    .option('--issuer <url>', 'iss of the tokens, or spiffe://trust-domain')
    .option('--subject <text>', 'sub of the tokens, or its beginning and a *')
    .option('--audience <text>', 'aud of the tokens, if not the issuer of this service')

const wrong = (why: string): CommandFailed => new CommandFailed(why, EXIT.usage)

/** What a public key has not (RFC 7518 §6.2.2, §6.3.2, §6.4.1): it must not leave the machine where it is. */
const holdsPrivate = (key: unknown): boolean => isRecord(key) && ['d', 'p', 'q', 'k'].some(member => member in key)

const NO_KEYS = 'The keys are neither a JWK nor a set of them, nor in PEM.'

/** A set of keys, also where the file holds one key alone. */
const readKeySet = async (file: string) => {
  const text = await readDocument(file)
  if (isPem(text)) return { keys: readPemKeys(text) }
  const value = parseDocument(text)
  if (!isRecord(value)) throw new CommandFailed(NO_KEYS)
  const keys: unknown = 'kty' in value ? [value] : value['keys']
  if (!Array.isArray(keys)) throw new CommandFailed(NO_KEYS)
  if (keys.some(holdsPrivate)) throw new CommandFailed('The file holds a private or secret key: give the public ones.')
  return { keys }
}

const keyTrustOf = async ({ jwksFile, jwksUri, acceptTokenEndpoint }: AssertionOptions) => {
  if ((jwksFile === undefined) === (jwksUri === undefined)) throw wrong('Give one of --jwks-file and --jwks-uri.')
  const jwks = jwksFile === undefined ? undefined : await readKeySet(jwksFile)
  return { private_key_jwt: { jwks, jwks_uri: jwksUri, accept_token_endpoint: acceptTokenEndpoint } }
}

const workloadTrustOf = ({ issuer, subject, audience, jwksUri }: AssertionOptions) => {
  if (issuer === undefined || subject === undefined) throw wrong('Give --issuer and --subject together.')
  return { workload_identity: { issuer, subject, audience, jwks_uri: jwksUri } }
}

const isGiven = (...values: readonly unknown[]): boolean => values.some(value => value !== undefined)

/** Nothing where the credential is a secret. */
const assertionTrustOf = async (options: AssertionOptions) => {
  const { jwksFile, jwksUri, acceptTokenEndpoint, issuer, subject, audience } = options
  const isWorkload = isGiven(issuer, subject, audience)
  if (isWorkload && isGiven(jwksFile, acceptTokenEndpoint)) {
    throw wrong('The options name both keys of the client and another issuer: make a credential of each.')
  }
  if (isWorkload) return workloadTrustOf(options)
  return isGiven(jwksFile, jwksUri, acceptTokenEndpoint) ? keyTrustOf(options) : {}
}

type CertificateOptions = {
  readonly subjectDn?: string
  readonly sanDns?: string
  readonly sanUri?: string
  readonly sanIp?: string
  readonly sanEmail?: string
  readonly certificate?: readonly string[]
}

const addCertificateOptions = (command: Command): Command =>
  command
    .optionsGroup('A name in its TLS certificate in place of a secret (tls_client_auth), one of:')
    .option('--subject-dn <dn>', 'the whole subject, as RFC 4514 writes it')
    .option('--san-dns <name>', 'a host name')
    .option('--san-uri <uri>', 'a URI')
    .option('--san-ip <address>', 'an address')
    .option('--san-email <address>', 'an e-mail address')
    .optionsGroup('Its TLS certificate itself in place of a secret (self_signed_tls_client_auth):')
    .option('--certificate <file...>', 'a certificate in PEM, one a file (repeatable), or - for standard input')

const subjectOf = ({ subjectDn, sanDns, sanUri, sanIp, sanEmail }: CertificateOptions) => {
  const names = { subject_dn: subjectDn, san_dns: sanDns, san_uri: sanUri, san_ip: sanIp, san_email: sanEmail }
  return Object.values(names).some(name => name !== undefined) ? { tls_client_auth: names } : {}
}

/** Nothing where no certificate is named. The service refuses two names, and two kinds. */
const certificateTrustOf = async (options: CertificateOptions) => {
  const { certificate: files } = options
  if (files === undefined) return subjectOf(options)
  const certificates = await Promise.all(files.map(file => readDocument(file)))
  return { ...subjectOf(options), self_signed_tls_client_auth: { certificates } }
}

export type TrustOptions = AssertionOptions & CertificateOptions

export const addTrustOptions = (command: Command): Command => addCertificateOptions(addAssertionOptions(command))

/** Empty where the credential is a secret. */
export const trustOf = async (options: TrustOptions) => ({
  ...(await assertionTrustOf(options)),
  ...(await certificateTrustOf(options)),
})
