// The members of a new credential that say what it trusts in place of a secret.
import { z } from 'zod'
import { SUBJECT_KINDS, type SubjectKind, TRUST_KINDS } from '../../../../api/values/credentials.ts'
import type { TrustRequest } from '../../operations/credentials/check-trust.ts'

const keyTrust = z.strictObject({
  jwks: z
    .strictObject({ keys: z.array(z.unknown()) })
    .nullish()
    .describe('Public keys of the client (RFC 7517).'),
  jwks_uri: z.string().nullish().describe('In their place, the https address where they stand.'),
  accept_token_endpoint: z
    .boolean()
    .nullish()
    .describe('Whether `aud` may be the address of the token endpoint, beside the issuer.'),
})

const workloadTrust = z.strictObject({
  issuer: z
    .string()
    .describe('`iss` of the tokens, or the trust domain of SPIFFE ids.')
    .meta({
      examples: ['https://token.actions.githubusercontent.com'],
    }),
  subject: z
    .string()
    .describe('`sub` of the tokens; with a `*` at its end, its beginning.')
    .meta({
      examples: ['repo:acme/site:ref:refs/heads/main'],
    }),
  audience: z.string().nullish().describe('`aud` of the tokens; the issuer of this service unless it is given.'),
  jwks_uri: z.string().nullish().describe("Where the issuer's keys stand; as its metadata says unless it is given."),
})

const subjectTrust = z.strictObject({
  subject_dn: z
    .string()
    .nullish()
    .describe('The whole subject, as RFC 4514 writes it.')
    .meta({ examples: ['CN=reports,O=Example,C=DE'] }),
  san_dns: z.string().nullish().describe('A host name among the alternative names.'),
  san_uri: z
    .string()
    .nullish()
    .describe('A URI among the alternative names.')
    .meta({ examples: ['spiffe://example.org/reports'] }),
  san_ip: z.string().nullish().describe('An address of IPv4 or IPv6 among the alternative names.'),
  san_email: z.string().nullish().describe('An e-mail address among the alternative names.'),
})

const pinnedTrust = z.strictObject({
  certificates: z.array(z.string()).describe('Each one certificate in PEM.'),
})

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
    .describe('Instead of a secret: a TLS certificate that is one of these, whoever signed it (RFC 8705 §2.2).'),
}

type TrustMembers = z.output<z.ZodObject<typeof trustMembers>>

/** For the schema of a body: at most one of them. */
export const hasOneTrust = (members: TrustMembers): boolean =>
  TRUST_KINDS.filter(kind => (members[kind] ?? null) !== null).length <= 1

export const TWO_TRUSTS = `names more than one of ${TRUST_KINDS.join(', ')}: choose one`

const keyRequestOf = ({
  jwks,
  jwks_uri: jwksUri,
  accept_token_endpoint: takesTokenEndpoint,
}: z.output<typeof keyTrust>): TrustRequest => ({
  kind: 'private_key_jwt',
  keys: jwks?.keys ?? null,
  jwksUri: jwksUri ?? null,
  takesTokenEndpoint: takesTokenEndpoint ?? false,
})

const workloadRequestOf = ({
  issuer,
  subject,
  audience,
  jwks_uri: jwksUri,
}: z.output<typeof workloadTrust>): TrustRequest => ({
  kind: 'workload_identity',
  issuer,
  subject,
  audience: audience ?? null,
  jwksUri: jwksUri ?? null,
})

const subjectRequestOf = (names: z.output<typeof subjectTrust>): TrustRequest => ({
  kind: 'tls_client_auth',
  names: Object.fromEntries(SUBJECT_KINDS.map(by => [by, names[by] ?? null])) as Record<SubjectKind, string | null>, // one of each kind
})

export const trustRequestOf = (members: TrustMembers): TrustRequest | null => {
  const { private_key_jwt: key, workload_identity: workload, tls_client_auth: subject } = members
  const pinned = members.self_signed_tls_client_auth
  if (key !== undefined && key !== null) return keyRequestOf(key)
  if (workload !== undefined && workload !== null) return workloadRequestOf(workload)
  if (subject !== undefined && subject !== null) return subjectRequestOf(subject)
  if (pinned === undefined || pinned === null) return null
  return { kind: 'self_signed_tls_client_auth', certificates: pinned.certificates }
}
