// In this folder: the table of settings: parser, default, bounds and meaning. The reader, `--help` and the docs derive from it.
// The settings of those who reach the service: operators, clients, and what limits them.
import {
  parseAddress,
  parseCertificateHeader,
  parseIssuer,
  parseParameters,
  parsePort,
  parseProxies,
  parseRanges,
} from '../addresses.ts'
import { parseCertificatesFile } from '../files.ts'
import { parseInteger, parseOffOr, parseOneOf, parseSecretLine, parseText } from '../values.ts'
import { inGroup } from './setting-entry.ts'

export const ROLE_SEPARATORS = ['none', 'space', 'comma'] as const

const parseFailures = parseOffOr(parseInteger(1, 1_000_000))

export const ACCESS_SETTINGS = {
  ...inGroup('operators', {
    MINTMARK_IDP_ISSUER: {
      parse: parseIssuer,
      required: 'the issuer of the identity provider',
      otherwise: 'required, here or in the file',
      example: 'https://login.example.com',
      meaning: 'the identity provider whose JWTs identify operators, exactly as in its `iss`',
    },
    MINTMARK_IDP_AUDIENCE: {
      parse: parseText,
      required: 'the `aud` of the JWTs that it issues for this service',
      otherwise: 'required with it',
      meaning: "the `aud` of the operators' JWTs",
    },
    MINTMARK_IDP_JWKS_URI: {
      parse: parseAddress,
      otherwise: 'by discovery',
      example: 'https://login.example.com/keys',
      meaning: "where the identity provider's keys are, 64 at most; `https`, or `http` on loopback",
    },
    MINTMARK_IDP_ROLE_CLAIM: {
      parse: parseText,
      fallback: 'roles',
      example: 'realm_access.roles',
      meaning:
        'the claim with the roles, a string or an array of strings; a dotted path reaches nested members, the exact name is tried first',
    },
    MINTMARK_IDP_ROLE_SEPARATOR: {
      parse: parseOneOf(ROLE_SEPARATORS),
      otherwise: '`none`; for the claim `scope`: `space`',
      meaning:
        'how to read a role claim that is a string: `none`: the whole string is one role; `space` or `comma`: it is a list. Members of an array are never split',
    },
    MINTMARK_CONSOLE_CLIENT_ID: {
      parse: parseText,
      meaning: "the [console](../manage/console.md)'s client at the identity provider; without it nobody signs in",
    },
    MINTMARK_CONSOLE_CLIENT_SECRET: {
      parse: parseSecretLine,
      hasFile: true,
      isSecret: true,
      isAnyText: true,
      meaning:
        "a secret, that of the console's client; without one the client is public, and PKCE alone protects the sign-in",
    },
    MINTMARK_CONSOLE_ISSUER: {
      parse: parseText,
      otherwise: 'the only provider',
      meaning: 'at which of several identity providers operators sign in',
    },
    MINTMARK_CONSOLE_SCOPE: {
      parse: parseText,
      fallback: 'openid',
      example: 'openid offline_access',
      meaning: 'what the sign-in asks for',
    },
    MINTMARK_CONSOLE_PARAMETERS: {
      parse: parseParameters,
      example: 'audience=mintmark',
      meaning: 'further parameters of the authorization request, as a query',
    },
    MINTMARK_DEV_IDP_PORT: {
      parse: parsePort,
      otherwise: '`PORT` + 1',
      meaning: 'only `mintmark dev`: the port of its identity provider',
    },
  }),
  ...inGroup('clients', {
    MINTMARK_TLS_CLIENT_CA_FILE: {
      parse: parseCertificatesFile(({ ca }) => ca, 'a PEM file with CA certificates only'),
      meaning:
        'a PEM file with the authorities that issue client certificates; see [TLS and proxies](../run/tls-and-proxies.md)',
    },
    MINTMARK_TLS_CLIENT_CERTS: {
      parse: parseOneOf(['off', 'request']),
      otherwise: '`request` if that file is set, else `off`',
      meaning: 'whether to request a certificate from clients',
    },
    MINTMARK_CLIENT_CERT_HEADER: {
      parse: parseCertificateHeader,
      example: 'Client-Cert rfc9440',
      meaning:
        "the header with the client's certificate: its name, a space and its format, one of `rfc9440`, `pem`, `base64`, `xfcc`",
    },
    MINTMARK_CLIENT_CERT_CHAIN: {
      parse: parseOneOf(['verified', 'unverified']),
      meaning:
        'whether the proxies forward only certificates whose chain they verified, or any. Set it together with the trusted proxies and the header, or the trusted proxies alone',
    },
    MINTMARK_CLIENT_KEYS_ALLOWED_RANGES: {
      parse: parseRanges,
      example: '10.0.0.0/8,fd00::/8',
      meaning:
        "private networks from which keys of clients and of workloads' issuers may be fetched; see [Workload identity](../agents/workload-identity.md)",
    },
  }),
  ...inGroup('limits', {
    MINTMARK_TRUSTED_PROXIES: {
      parse: parseProxies,
      example: '10.0.0.7,fd00::/8',
      meaning:
        "addresses and networks of proxies that say where a request came from, in `Forwarded` or `X-Forwarded-For` ([TLS and proxies](../run/tls-and-proxies.md)), and whose header with the client's certificate is trusted. They must overwrite or append to the one, and delete the other",
    },
    MINTMARK_FAILED_AUTH_PER_CLIENT: {
      parse: parseFailures,
      fallback: '30',
      meaning:
        'failed authentications a minute with one client id from one address; beyond them a wrong credential gets 429 instead of 401, a right one is always accepted',
    },
    MINTMARK_FAILED_AUTH_PER_ADDRESS: {
      parse: parseFailures,
      fallback: '300',
      meaning: 'failed authentications a minute from one address (of IPv6: /64), whatever the credential',
    },
    MINTMARK_CONNECTIONS_MAX: {
      parse: parseInteger(16, 1_000_000),
      fallback: '10000',
      meaning:
        'connections of the process at once; more are closed at once. Fewer if the process may open fewer than that many files and 256 others',
    },
    MINTMARK_CONNECTIONS_PER_ADDRESS: {
      parse: parseInteger(1, 1_000_000),
      fallback: '2000',
      meaning: 'connections from one address (of IPv6: /64) at once. Trusted proxies and loopback addresses are exempt',
    },
    MINTMARK_BODY_BYTES_MAX: {
      parse: parseInteger(1024, 1_048_576),
      fallback: '16384',
      unit: 'bytes',
      meaning: 'the largest request body; a larger one gets 413',
    },
  }),
}
