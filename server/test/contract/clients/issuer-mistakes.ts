// Bodies that make no trusted issuer, with the sentence that says why and what to do.

const PLACEHOLDER =
  'issuer holds a placeholder, and iss of a token never does: write the id of your tenant in its place.'
const CLAIM_VALUE = 'require.tid is not 1 to 256 printable characters without a space at either end.'
const CLAIM_NAME =
  'require has a name that is not 1 to 64 printable ASCII characters without spaces, other than iss, sub, oid, aud, exp, nbf, iat, jti, cnf, act.'
const ADDRESS =
  'issuer is not an https address (or http of this machine) without a password, a query and a fragment, of at most 512 characters.'
const TENANTS = (host: string) =>
  `issuer is that of every tenant, which no token names: use the URL of your tenant, https://${host}/TENANT-ID/v2.0.`

/** What is other than in a good body, and how it is refused; `invalid_request` unless it is said. */
export const ISSUER_MISTAKES: readonly (readonly [change: object, description: string, error?: string])[] = [
  [{ alias: 'Entra' }, 'alias is not 1 to 32 of a-z, 0-9 and hyphen.'],
  [{ alias: '' }, 'alias is not 1 to 32 of a-z, 0-9 and hyphen.'],
  [{ alias: 'a'.repeat(33) }, 'alias is not 1 to 32 of a-z, 0-9 and hyphen.'],
  [{ issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' }, PLACEHOLDER],
  [{ issuer: 'https://login.microsoftonline.com/%7Btenantid%7D/v2.0' }, PLACEHOLDER],
  [{ issuer: 'https://<tenant>.example' }, PLACEHOLDER],
  ...['common', 'organizations', 'consumers', 'Common'].map(
    name =>
      [{ issuer: `https://login.microsoftonline.com/${name}/v2.0` }, TENANTS('login.microsoftonline.com')] as const,
  ),
  [{ issuer: 'https://login.microsoftonline.us/common' }, TENANTS('login.microsoftonline.us')],
  [{ issuer: 'http://idp.example' }, ADDRESS],
  [{ issuer: 'https://ada:secret@idp.example' }, ADDRESS],
  [{ issuer: 'https://idp.example?tenant=1' }, ADDRESS],
  [{ issuer: 'https://idp.example#' }, ADDRESS],
  [{ issuer: 'https:///idp.example' }, ADDRESS],
  [{ issuer: ` https://idp.example` }, ADDRESS],
  [{ issuer: `https://idp.example/${'a'.repeat(500)}` }, ADDRESS],
  [{ subject_claim: 'email' }, 'subject_claim is not one of sub, oid.'],
  [{ require: { tid: 7 } }, 'require.tid is not a string: only claims that are strings can be required.'],
  [{ require: { tid: ['a'] } }, 'require.tid is not a string: only claims that are strings can be required.'],
  ...['', ' b2', 'b2\u00a0', 'b\u20282'].map(tid => [{ require: { tid } }, CLAIM_VALUE] as const),
  [{ require: { 'a b': 'c' } }, CLAIM_NAME],
  [{ require: { sub: 'alice' } }, CLAIM_NAME],
  [
    { require: Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`c${n}`, 'v'])) },
    'require has more than 8 claims.',
  ],
  [{ algorithms: ['HS256'] }, 'algorithms.0 is not one of RS256, PS256, ES256, ES384, Ed25519.'],
  [{ algorithms: ['none'] }, 'algorithms.0 is not one of RS256, PS256, ES256, ES384, Ed25519.'],
  [{ algorithms: [] }, 'algorithms names none of RS256, PS256, ES256, ES384, Ed25519.'],
  [{ token_types: ['saml2'] }, 'token_types.0 is not one of id_token, access_token, jwt, id-jag.'],
  [{ token_types: [] }, 'token_types names none of id_token, access_token, jwt, id-jag.'],
  [
    { token_types: ['jwt'] },
    'token_types has jwt, which any client of the issuer could get: name those that are trusted in parties.',
  ],
  [{ parties: [''] }, 'parties has one that is not 1 to 255 printable ASCII characters without spaces.'],
  [{ parties: Array.from({ length: 65 }, (_, n) => `p${n}`) }, 'parties has more than 64 entries.'],
  [{ resources: [] }, 'resources names no resource; allow any with *.'],
  [
    { resources: ['api'] },
    'resources has one that is neither an absolute URI without a fragment nor *.',
    'invalid_target',
  ],
  [
    { scope: '*' },
    'scope is not 1 to 16 items of the form resource:action (or resource:*), separated by single spaces.',
    'invalid_scope',
  ],
  [{ lifetime_seconds: 14 }, 'lifetime_seconds is less than 15, the shortest lifetime of a token for another subject.'],
  [{ lifetime_seconds: 0 }, 'lifetime_seconds is not a whole number of seconds from 1 to 86400.'],
  [
    { jwks_uri: 'http://idp.example/jwks' },
    'jwks_uri is not an https address without a password, of at most 512 characters.',
  ],
  [{ role: 'admin' }, 'The body has a member that this operation does not know: role.'],
]
