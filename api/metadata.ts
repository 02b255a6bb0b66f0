// What is published: the key set (RFC 7517 §5), the metadata of the authorization server (RFC 8414), the error reference.
import { z } from 'zod'
import { EXAMPLE_KEY, ISSUER } from './examples.ts'
import { operation } from './operation.ts'
import { PROOF_ALGORITHMS } from '../packages/verify/src/readers/proof-claims.ts'
import { ASSERTION_ALGORITHMS } from './values/algorithms.ts'
import { GRANT_PROFILE, GRANT_TYPES } from './values/delegation.ts'

const common = {
  kid: z.string().describe('The RFC 7638 thumbprint, or the name under which the key was imported.'),
  use: z.literal('sig'),
}

export const publicJwk = z.discriminatedUnion('alg', [
  z.object({
    kty: z.literal('EC'),
    crv: z.literal('P-256'),
    x: z.string(),
    y: z.string(),
    alg: z.literal('ES256'),
    ...common,
  }),
  z.object({ kty: z.literal('RSA'), n: z.string(), e: z.string(), alg: z.literal('RS256'), ...common }),
  z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), alg: z.literal('EdDSA'), ...common }),
  z.object({ kty: z.literal('AKP'), pub: z.string(), alg: z.literal('ML-DSA-65'), ...common }),
])

const keySetAnswer = z.object({
  keys: z.array(publicJwk).describe('The current key, the next one, and those whose tokens may be alive.'),
})

export const JSON_TYPE = 'application/json'
export const KEY_SET_TYPE = 'application/jwk-set+json'

/** Any cache may keep it, and any page read it. */
const PUBLIC = ['Cache-Control-Public', 'Access-Control-Allow-Origin', 'Access-Control-Expose-Headers', 'ETag'] as const

const unchanged = { 304: z.undefined() }

export const publishKeys = operation({
  route: 'GET /.well-known/jwks.json',
  id: 'publishKeys',
  summary: 'Public keys',
  access: 'anyone',
  answers: {
    200: { content: { [JSON_TYPE]: { schema: keySetAnswer }, [KEY_SET_TYPE]: { schema: keySetAnswer } } },
    ...unchanged,
  },
  refusals: [503],
  headers: [...PUBLIC, 'Vary'],
  example: { answer: { keys: [EXAMPLE_KEY] } },
})

const names = z.array(z.string())

const metadataAnswer = z.object({
  issuer: z.url(),
  authorization_endpoint: z.url().describe('Announced for clients that demand one; it refuses every request.'),
  token_endpoint: z.url(),
  introspection_endpoint: z.url(),
  revocation_endpoint: z.url(),
  global_token_revocation_endpoint: z.url().describe('draft-parecki-oauth-global-token-revocation §6.'),
  revocation_feed_endpoint: z.url().describe('The head of the revocation feed, which verifiers follow.'),
  jwks_uri: z.url(),
  service_documentation: z.url(),
  grant_types_supported: names,
  authorization_grant_profiles_supported: names.describe('draft-ietf-oauth-identity-assertion-authz-grant §7.'),
  response_types_supported: names,
  token_endpoint_auth_methods_supported: names,
  token_endpoint_auth_signing_alg_values_supported: names.describe('RFC 8414 §2: of client assertions.'),
  introspection_endpoint_auth_methods_supported: names,
  introspection_signing_alg_values_supported: names.describe('RFC 9701 §7.'),
  revocation_endpoint_auth_methods_supported: names,
  revocation_endpoint_auth_signing_alg_values_supported: names,
  tls_client_certificate_bound_access_tokens: z.boolean().optional().describe('RFC 8705 §3.3.'),
  dpop_signing_alg_values_supported: names.describe('RFC 9449 §5.1.'),
  code_challenge_methods_supported: names,
  scopes_supported: names.optional(),
})

const openidMetadataAnswer = metadataAnswer.extend({
  subject_types_supported: names,
  id_token_signing_alg_values_supported: names,
})

const AUTH_METHODS = ['client_secret_post', 'client_secret_basic', 'private_key_jwt']

const example = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/oauth/authorize`,
  token_endpoint: `${ISSUER}/oauth/token`,
  introspection_endpoint: `${ISSUER}/oauth/introspect/v2`,
  revocation_endpoint: `${ISSUER}/oauth/revoke`,
  global_token_revocation_endpoint: `${ISSUER}/oauth/global-token-revocation`,
  revocation_feed_endpoint: `${ISSUER}/oauth/revocation-feed`,
  jwks_uri: `${ISSUER}/.well-known/jwks.json`,
  service_documentation: `${ISSUER}/docs`,
  grant_types_supported: GRANT_TYPES,
  authorization_grant_profiles_supported: [GRANT_PROFILE],
  response_types_supported: ['none'],
  token_endpoint_auth_methods_supported: AUTH_METHODS,
  token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
  introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
  introspection_signing_alg_values_supported: ['ES256'],
  revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
  dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
  code_challenge_methods_supported: ['S256'],
}

const marks = {
  summary: 'Metadata of this authorization server',
  access: 'anyone',
  refusals: [503],
  headers: PUBLIC,
} as const

export const publishMetadata = operation({
  ...marks,
  route: 'GET /.well-known/oauth-authorization-server',
  id: 'publishMetadata',
  answers: { 200: metadataAnswer, ...unchanged },
  example: { answer: example },
})

export const publishOpenidMetadata = operation({
  ...marks,
  route: 'GET /.well-known/openid-configuration',
  id: 'publishOpenidMetadata',
  answers: { 200: openidMetadataAnswer, ...unchanged },
  example: {
    answer: { ...example, subject_types_supported: ['public'], id_token_signing_alg_values_supported: ['ES256'] },
  },
})

export const readErrorReference = operation({
  route: 'GET /errors',
  id: 'readErrorReference',
  summary: 'Error reference',
  access: 'anyone',
  answers: {
    200: {
      description: 'A page with a section for each error code.',
      content: { 'text/html': { schema: z.string() } },
    },
    ...unchanged,
  },
  headers: ['Content-Security-Policy', 'X-Content-Type-Options', 'ETag'],
})
