// An example of the metadata of a service for the OpenAPI document.
import { ASSERTION_ALGORITHMS } from '../../../../api/values/algorithms.ts'

export const EXAMPLE_ISSUER = 'https://tokens.example.com'

const AUTH_METHODS = ['client_secret_post', 'client_secret_basic', 'private_key_jwt']

export const EXAMPLE_METADATA = {
  issuer: EXAMPLE_ISSUER,
  authorization_endpoint: `${EXAMPLE_ISSUER}/oauth/authorize`,
  token_endpoint: `${EXAMPLE_ISSUER}/oauth/token`,
  introspection_endpoint: `${EXAMPLE_ISSUER}/oauth/introspect/v2`,
  revocation_endpoint: `${EXAMPLE_ISSUER}/oauth/revoke`,
  jwks_uri: `${EXAMPLE_ISSUER}/.well-known/jwks.json`,
  service_documentation: `${EXAMPLE_ISSUER}/docs`,
  grant_types_supported: ['client_credentials'],
  response_types_supported: ['none'],
  token_endpoint_auth_methods_supported: AUTH_METHODS,
  token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
  introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
  introspection_signing_alg_values_supported: ['ES256'],
  revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
  dpop_signing_alg_values_supported: ['ES256', 'Ed25519', 'EdDSA', 'RS256', 'PS256'],
  code_challenge_methods_supported: ['S256'],
}
