// What a new credential may trust in place of a secret: the members of its body, one of a kind, each parsed into what the
// operation takes.
import { z } from 'zod'
import { exactlyOneOf, flag, present, text } from './fields.ts'
import {
  isPlainName,
  parseSubjectPattern,
  PINNED_CERTIFICATES_MAX,
  PREFIX_CHARACTERS_MIN,
  REGISTERED_KEYS_MAX,
  SUBJECT_KINDS,
  SUBJECT_PATTERN,
  type SubjectKind,
  TRUST_CHARACTERS_MAX,
  TRUST_KINDS,
} from './values/credentials.ts'
import { normalSubject, SUBJECT_PATTERNS } from './values/subject-name.ts'
import { isProviderAddress } from '../packages/verify/src/readers/web-address.ts'

const bounds = { minLength: 1, maxLength: TRUST_CHARACTERS_MAX }

const isAddress = (value: string): boolean => isPlainName(value) && !value.includes('#') && isProviderAddress(value)

/** An address of keys. */
export const address = text(
  isAddress,
  `an https address without a password, of at most ${TRUST_CHARACTERS_MAX} characters`,
  {
    format: 'uri',
    ...bounds,
  },
)

const keyTrust = z
  .strictObject({
    jwks: z
      .strictObject({
        keys: z
          .array(z.record(z.string(), z.unknown()))
          .min(1, { error: 'holds no key' })
          .max(REGISTERED_KEYS_MAX, { error: `holds more than ${REGISTERED_KEYS_MAX} keys` }),
      })
      .nullish()
      .describe('Public keys of the client (RFC 7517).'),
    jwks_uri: address.nullish().describe('In their place, the https address where they stand.'),
    accept_token_endpoint: flag
      .nullish()
      .describe('Whether `aud` may be the address of the token endpoint, beside the issuer.'),
  })
  .refine(({ jwks, jwks_uri: uri }) => ((jwks ?? null) === null) !== ((uri ?? null) === null), {
    error: 'needs exactly one of jwks and jwks_uri',
  })
  .transform(({ jwks, jwks_uri: jwksUri, accept_token_endpoint: takesTokenEndpoint }) => ({
    kind: 'private_key_jwt' as const,
    keys: jwks?.keys ?? null,
    jwksUri: jwksUri ?? null,
    takesTokenEndpoint: takesTokenEndpoint ?? false,
  }))
  .meta(exactlyOneOf(['jwks', 'jwks_uri']))

const TRUST_DOMAIN = /^spiffe:\/\/[a-z0-9._-]{1,255}$/

const isIssuer = (value: string): boolean => TRUST_DOMAIN.test(value) || (isAddress(value) && !value.includes('?'))

const ISSUER_FORM =
  'an https address without a password and a query, or a SPIFFE trust domain, ' +
  `of at most ${TRUST_CHARACTERS_MAX} characters`

const SUBJECT_FORM =
  `at most ${TRUST_CHARACTERS_MAX} printable characters without blanks, or ${PREFIX_CHARACTERS_MIN} or more of ` +
  'them and a * at the end'

const workloadTrust = z
  .strictObject({
    issuer: text(isIssuer, ISSUER_FORM, {
      description: '`iss` of the tokens, or the trust domain of SPIFFE ids.',
      format: 'uri',
      ...bounds,
      examples: ['https://token.actions.githubusercontent.com'],
    }),
    subject: text(value => parseSubjectPattern(value) !== undefined, SUBJECT_FORM, {
      description: '`sub` of the tokens; with a `*` at its end, its beginning.',
      pattern: SUBJECT_PATTERN,
      examples: ['repo:acme/site:ref:refs/heads/main'],
    }),
    audience: text(isPlainName, `1 to ${TRUST_CHARACTERS_MAX} printable characters without blanks`, {
      pattern: `^[\\x21-\\x7E]{1,${TRUST_CHARACTERS_MAX}}$`,
    })
      .nullish()
      .describe('`aud` of the tokens; the issuer of this service unless it is given.'),
    jwks_uri: address.nullish().describe("Where the issuer's keys stand; as its metadata says unless it is given."),
  })
  .refine(({ issuer, jwks_uri: uri }) => !TRUST_DOMAIN.test(issuer) || (uri ?? null) !== null, {
    path: ['issuer'],
    error: 'is a trust domain, whose keys stand at no known address: send jwks_uri',
  })
  .transform(({ jwks_uri: jwksUri, audience, ...rest }) => ({
    kind: 'workload_identity' as const,
    ...rest,
    audience: audience ?? null,
    jwksUri: jwksUri ?? null,
  }))
  .meta({ anyOf: [{ properties: { issuer: { not: { pattern: '^spiffe:' } } } }, present('jwks_uri')] })

const subjectName = (by: SubjectKind, form: string, meta: Readonly<Record<string, unknown>>) =>
  text(
    value => value.length <= TRUST_CHARACTERS_MAX && normalSubject(by, value) !== undefined,
    `${form}, of at most ${TRUST_CHARACTERS_MAX} characters`,
    { ...bounds, ...meta },
  ).nullish()

const DN_FORM =
  'a distinguished name as RFC 4514 writes it, such as CN=reports,O=Example,C=DE, the last part of the certificate first'

const subjectTrust = z
  .strictObject({
    subject_dn: subjectName('subject_dn', DN_FORM, {
      description: 'The whole subject, as RFC 4514 writes it.',
      examples: ['CN=reports,O=Example,C=DE'],
    }),
    san_dns: subjectName('san_dns', 'a host name without a wildcard', {
      description: 'A host name among the alternative names.',
      pattern: SUBJECT_PATTERNS.san_dns,
    }),
    san_uri: subjectName('san_uri', 'an absolute URI', {
      description: 'A URI among the alternative names.',
      pattern: SUBJECT_PATTERNS.san_uri,
      examples: ['spiffe://example.org/reports'],
    }),
    san_ip: subjectName('san_ip', 'an address of IPv4 or IPv6', {
      description: 'An address of IPv4 or IPv6 among the alternative names.',
      anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }],
    }),
    san_email: subjectName('san_email', 'an e-mail address in ASCII', {
      description: 'An e-mail address among the alternative names.',
      pattern: SUBJECT_PATTERNS.san_email,
    }),
  })
  .transform((names, context) => {
    const [only, ...others] = SUBJECT_KINDS.flatMap(by => {
      const name = names[by] ?? null
      return name === null ? [] : [{ by, name }]
    })
    if (only !== undefined && others.length === 0) return { kind: 'tls_client_auth' as const, ...only }
    context.addIssue({ code: 'custom', message: `needs exactly one of ${SUBJECT_KINDS.join(', ')}` })
    return z.NEVER
  })
  .meta(exactlyOneOf(SUBJECT_KINDS))

const pinned = <One extends z.ZodType>(one: One) =>
  z
    .array(one)
    .min(1, { error: 'holds no certificate' })
    .max(PINNED_CERTIFICATES_MAX, { error: `holds more than ${PINNED_CERTIFICATES_MAX} certificates` })
    .nullish()

const THUMBPRINT_PATTERN = '^[A-Za-z0-9_-]{43}$'
const THUMBPRINT = new RegExp(THUMBPRINT_PATTERN)

const thumbprint = text(given => THUMBPRINT.test(given), 'the SHA-256 of a certificate in base64url', {
  pattern: THUMBPRINT_PATTERN,
})

const pinnedTrust = z
  .strictObject({
    certificates: pinned(z.string()).describe('Each one certificate in PEM.'),
    thumbprints: pinned(thumbprint).describe('In their place, the SHA-256 of each (DER), base64url.'),
  })
  .refine(({ certificates, thumbprints }) => ((certificates ?? null) === null) !== ((thumbprints ?? null) === null), {
    error: 'needs exactly one of certificates and thumbprints',
  })
  .transform(({ certificates, thumbprints }) => ({
    kind: 'self_signed_tls_client_auth' as const,
    certificates: certificates ?? null,
    thumbprints: thumbprints ?? null,
  }))
  .meta(exactlyOneOf(['certificates', 'thumbprints']))

/** The members of a new credential's body that say what it trusts. */
export const trustMembers = {
  private_key_jwt: keyTrust
    .nullish()
    .describe('Instead of a secret: the client signs assertions with a key of its own (RFC 7523).'),
  workload_identity: workloadTrust
    .nullish()
    .describe('Instead of a secret: the client presents tokens that another issuer gives it.'),
  tls_client_auth: subjectTrust
    .nullish()
    .describe('Instead of a secret: a TLS certificate of an authority, known by exactly one name (RFC 8705 §2.1).'),
  self_signed_tls_client_auth: pinnedTrust
    .nullish()
    .describe('Instead of a secret: a TLS certificate that is one of these, signed by any issuer (RFC 8705 §2.2).'),
}

type Trusts = z.output<z.ZodObject<typeof trustMembers>>

/** What is trusted; none for a secret. The body names at most one. */
export const trustsIn = (body: Trusts) => TRUST_KINDS.flatMap(kind => body[kind] ?? [])
