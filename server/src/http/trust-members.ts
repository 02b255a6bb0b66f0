// The members of a new credential that say what it trusts in place of a secret.
import { z } from 'zod'
import type { TrustRequest } from '../operations/check-trust.ts'

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

export const trustMembers = {
  private_key_jwt: keyTrust
    .nullish()
    .describe('Instead of a secret: the client signs assertions with a key of its own (RFC 7523).'),
  workload_identity: workloadTrust
    .nullish()
    .describe('Instead of a secret: the client presents tokens that another issuer gives it.'),
}

type TrustMembers = z.output<z.ZodObject<typeof trustMembers>>

/** For the schema of a body: not both. */
export const hasOneTrust = ({ private_key_jwt: key, workload_identity: workload }: TrustMembers): boolean =>
  (key ?? null) === null || (workload ?? null) === null

export const TWO_TRUSTS = 'names both private_key_jwt and workload_identity: choose one'

export const trustRequestOf = ({
  private_key_jwt: key,
  workload_identity: workload,
}: TrustMembers): TrustRequest | null => {
  if (key !== undefined && key !== null) {
    const { jwks, jwks_uri: jwksUri, accept_token_endpoint: takesTokenEndpoint } = key
    return {
      kind: 'private_key_jwt',
      keys: jwks?.keys ?? null,
      jwksUri: jwksUri ?? null,
      takesTokenEndpoint: takesTokenEndpoint ?? false,
    }
  }
  if (workload === undefined || workload === null) return null
  const { issuer, subject, audience, jwks_uri: jwksUri } = workload
  return { kind: 'workload_identity', issuer, subject, audience: audience ?? null, jwksUri: jwksUri ?? null }
}
