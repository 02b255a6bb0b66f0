// The OpenAPI 3.1 document that the routes' schemas add up to.
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import packageJson from '../../../package.json' with { type: 'json' }
import { ROLES } from '../../../../api/values/access.ts'
import { completeDocument, DESCRIPTION } from './openapi-completion.ts'

const BY_CERTIFICATE = {
  type: 'mutualTLS',
  description:
    'A certificate of the TLS connection, with client_id in the form (RFC 8705); where the service takes any.',
}

const securitySchemesOf = (issuer: string) =>
  ({
    clientForm: {
      type: 'oauth2',
      description: 'client_id and client_secret in the form.',
      flows: { clientCredentials: { tokenUrl: `${issuer}/oauth/token`, scopes: {} } },
    },
    clientBasic: { type: 'http', scheme: 'basic', description: 'client_id and client_secret, each form-encoded.' },
    // OpenAPI 3.1 has this kind; the plugin's types know 3.0.
    clientCertificate: BY_CERTIFICATE as unknown as { readonly type: 'http'; readonly scheme: string },
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'An API key. It needs the permission that the operation names.',
    },
    apiKeyBasic: { type: 'http', scheme: 'basic', description: 'The id of an API key, and the key.' },
    issuerJwt: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'A JWT of a trusted issuer, made for this request and used once.',
    },
    identityProviderJwt: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'A JWT of the identity provider. Its subject needs the role that the operation names, or one above it: ' +
        `${ROLES.join(', ')}.`,
    },
  }) as const

/** Collects the schemas of the routes that are registered after it. */
export const registerOpenapi = (app: FastifyInstance, issuer: string): void => {
  void app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Mintmark', version: packageJson.version, description: DESCRIPTION },
      servers: [{ url: issuer }],
      components: { securitySchemes: securitySchemesOf(issuer) },
    },
    transform: jsonSchemaTransform,
    transformObject: completeDocument,
  })
}
