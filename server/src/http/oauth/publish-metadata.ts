// The metadata of this authorization server (RFC 8414), and the same where OpenID Connect's clients look for it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CertificateSources } from '../../domain/clients/client-certificate.ts'
import { revokeGlobally } from '../../../../api/oauth.ts'
import { pathOf } from '../../../../api/operation.ts'
import { ASSERTION_ALGORITHMS } from '../../../../api/values/algorithms.ts'
import { PROOF_ALGORITHMS } from '../../../../packages/verify/src/readers/proof-claims.ts'
import { GRANT_PROFILE, GRANT_TYPES } from '../../../../api/values/delegation.ts'
import { publishKeys } from '../../operations/signing-keys/read-signing-keys.ts'
import type { Ports, ServiceProfile } from '../../ports/ports.ts'
import { allowAnyOrigin, makeVersionedBody, sendConstant } from '../wire/constant-body.ts'
import type { Refuser } from '../wire/refusals.ts'

const METADATA_MAX_AGE_SECONDS = 300

/** The authentication methods; those by certificate only where one can come (RFC 8705 §2). */
const clientAuthMethods = ({ verified, unverified }: CertificateSources): readonly string[] => [
  'client_secret_post',
  'client_secret_basic',
  'private_key_jwt',
  ...(verified ? ['tls_client_auth'] : []),
  ...(unverified ? ['self_signed_tls_client_auth'] : []),
]

type MetadataPorts = Pick<Ports, 'profile' | 'signingKeys'>

type Described = { readonly profile: ServiceProfile; readonly signingAlgorithms: readonly string[] }

const describeServer = ({ profile: { issuer, scopesSupported, certificates }, signingAlgorithms }: Described) => ({
  issuer,
  // There is no authorization flow; the MCP clients in TypeScript and Python demand an address all the same.
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  introspection_endpoint: `${issuer}/oauth/introspect/v2`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  global_token_revocation_endpoint: issuer + pathOf(revokeGlobally),
  // How its caller authenticates itself has no registered name.
  revocation_feed_endpoint: `${issuer}/oauth/revocation-feed`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  service_documentation: `${issuer}/docs`,
  grant_types_supported: GRANT_TYPES,
  // Whether any issuer is trusted or none.
  authorization_grant_profiles_supported: [GRANT_PROFILE],
  // Required; §3.2 forbids an empty array, Authlib refuses one, and no client refuses this.
  response_types_supported: ['none'],
  token_endpoint_auth_methods_supported: clientAuthMethods(certificates),
  // RFC 8414 §2: demanded beside private_key_jwt.
  token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
  // The user is the id of an API key. X-API-Key has no registered name.
  introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
  // RFC 9701 §7. Answers are signed, and never encrypted.
  introspection_signing_alg_values_supported: signingAlgorithms,
  revocation_endpoint_auth_methods_supported: clientAuthMethods(certificates),
  revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
  ...((certificates.verified || certificates.unverified) && { tls_client_certificate_bound_access_tokens: true }),
  // RFC 9449 §5.1.
  dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
  // Demanded by the MCP client in Go.
  code_challenge_methods_supported: ['S256'],
  ...(scopesSupported !== null && { scopes_supported: scopesSupported }),
})

/** Adds what Spring demands in OpenID Connect's place. go-oidc takes no other algorithm than it finds here. */
const describeProvider = (described: Described) => ({
  ...describeServer(described),
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: described.signingAlgorithms,
})

/** The algorithms of all keys in the key set and of the next key: all that sign, or whose signatures may still be verified. */
const readSigningAlgorithms = async (ports: MetadataPorts): Promise<readonly string[]> => {
  const { keys } = await publishKeys(ports)
  return [...new Set([...keys.map(({ alg }) => alg), ports.profile.signingAlgorithm])]
}

const makeDocumentHandler =
  (describe: (described: Described) => object) => (ports: Pick<Ports, 'profile' | 'secrets' | 'signingKeys'>) => {
    const versioned = makeVersionedBody(text => ports.secrets.hash(text))
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const signingAlgorithms = await readSigningAlgorithms(ports)
      const write = (): string => JSON.stringify(describe({ profile: ports.profile, signingAlgorithms }))
      void allowAnyOrigin(reply).header('cache-control', `public, max-age=${METADATA_MAX_AGE_SECONDS}`)
      // Never 406: a client of Java asks for text/html first.
      const type = 'application/json; charset=utf-8'
      return sendConstant(request, reply, { body: versioned(signingAlgorithms.join(' '), write), type })
    }
  }

export const makeMetadataHandler = makeDocumentHandler(describeServer)

export const makeOpenidMetadataHandler = makeDocumentHandler(describeProvider)

export const makeAuthorizeHandler =
  (refuser: Refuser) =>
  (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    refuser.refuse(reply, {
      code: 'unsupported_response_type',
      description: 'This service has no authorization flow: get a token with grant_type=client_credentials.',
    })
