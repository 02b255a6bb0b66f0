// The grant by which the development identity provider turns an agent's ID token into an ID-JAG for the service
// (draft-ietf-oauth-identity-assertion-authz-grant §4.3), as a company's provider does.
import { randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, importJWK, type JWK, jwtVerify, SignJWT } from 'jose'
import type { errors as OidcErrors, Provider, TokenEndpointGrantContext } from 'oidc-provider'
import { SUBJECT_TOKEN_TYPES, TOKEN_EXCHANGE } from '../../../api/values/delegation.ts'
import { ID_JAG_TYPE } from '../domain/clients/foreign-jwt.ts'

export const ID_JAG_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:id-jag'
const ID_JAG_SECONDS = 300
const PARAMETERS = [
  'requested_token_type',
  'audience',
  'resource',
  'scope',
  'subject_token',
  'subject_token_type',
] as const

type Wanted = Readonly<Partial<Record<(typeof PARAMETERS)[number], string>>>

type Service = {
  /** The issuer to which the assertions go, and no other. */
  readonly audience: string
  readonly privateJwk: JWK
}

/** Registers the grant; it is for clients whose metadata name it. */
export const registerIdJags = async (
  provider: Provider,
  { audience, privateJwk }: Service,
  errors: typeof OidcErrors,
): Promise<void> => {
  const { d: _, ...publicJwk } = privateJwk
  const [privateKey, publicKey] = await Promise.all([importJWK(privateJwk, 'ES256'), importJWK(publicJwk, 'ES256')])
  const kid = await calculateJwkThumbprint(publicJwk)
  const { issuer } = provider

  /** Whom the client's ID token names; the provider keeps none, and signs no other JWT for the client. */
  const subjectIn = async (idToken: string, client: string): Promise<string> => {
    const expected = { issuer, audience: client, algorithms: ['ES256'], requiredClaims: ['sub', 'exp'] }
    const verified = await jwtVerify(idToken, publicKey, expected).catch(() => undefined)
    if (verified?.payload.sub === undefined) throw new errors.InvalidGrant('no ID token of this client that is valid')
    return verified.payload.sub
  }

  const checkWanted = (wanted: Wanted): void => {
    if (wanted.requested_token_type !== ID_JAG_TOKEN_TYPE) {
      throw new errors.InvalidRequest(`requested_token_type is not ${ID_JAG_TOKEN_TYPE}`)
    }
    if (wanted.subject_token_type !== SUBJECT_TOKEN_TYPES.id_token) {
      throw new errors.InvalidRequest(`subject_token_type is not ${SUBJECT_TOKEN_TYPES.id_token}`)
    }
    if (wanted.audience !== audience) throw new errors.InvalidTarget(`audience is not ${audience}`)
  }

  const answer = async ({ oidc: { client, params: wanted } }: TokenEndpointGrantContext<Wanted>): Promise<object> => {
    checkWanted(wanted)
    const { resource, scope } = wanted
    const { clientId } = client
    const sub = await subjectIn(wanted.subject_token ?? '', clientId)
    const idJag = await new SignJWT({ client_id: clientId, resource, scope })
      .setProtectedHeader({ alg: 'ES256', kid, typ: ID_JAG_TYPE })
      .setIssuer(issuer)
      .setSubject(sub)
      .setAudience(audience)
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime(`${ID_JAG_SECONDS}s`)
      .sign(privateKey)
    return {
      issued_token_type: ID_JAG_TOKEN_TYPE,
      access_token: idJag,
      token_type: 'N_A',
      expires_in: ID_JAG_SECONDS,
      scope,
    }
  }

  provider.registerGrantType<Wanted>(
    TOKEN_EXCHANGE,
    async context => {
      context.body = await answer(context)
    },
    PARAMETERS,
  )
}
