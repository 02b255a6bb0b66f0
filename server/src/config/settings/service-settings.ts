// The settings of the service, of its store, of its tokens and of its keys.
import { SIGNING_ALGORITHMS } from '../../../../api/values/algorithms.ts'
import { LIFETIME_SECONDS_MAX } from '../../../../api/values/limits.ts'
import { DPOP_NONCE_POLICIES } from '../../domain/ledger/dpop.ts'
import { parseAudience, parseBaseUrl, parsePort } from '../addresses.ts'
import { parseDatabaseUrl } from '../database-url.ts'
import { parsePemFile } from '../files.ts'
import {
  parseAutoOr,
  parseClaimNames,
  parseInteger,
  parseKeyEncryptionKeyText,
  parseOffOr,
  parseOneOf,
  parseSomeOf,
  parseText,
} from '../values.ts'
import { inGroup } from './setting-entry.ts'

export const WORKERS_MAX = 64

/** Unsafe settings of a database, refused unless an operator allows them by these names. */
export const UNSAFE_DATABASES = ['fsync', 'full_page_writes', 'plaintext', 'quorum'] as const

export const KEY_EXPECTED = '32 bytes in base64, such as `openssl rand -base64 32` prints'

const parseDays = parseInteger(1, 36_500)

export const SERVICE_SETTINGS = {
  ...inGroup('service', {
    MINTMARK_BASE_URL: {
      parse: parseBaseUrl,
      required: 'the https address of this service, its issuer',
      example: 'https://auth.example.com',
      meaning:
        'the public address of the service, which is the issuer of its tokens. `https`, or `http` on loopback; no trailing slash, query or fragment; with a path, all routes are below it. Changing it makes every live token unknown',
    },
    HOST: {
      parse: parseText,
      fallback: '0.0.0.0',
      example: '127.0.0.1',
      meaning:
        'the address to listen on; for a name, its first address. `::`: all addresses of both families, or of IPv4 where the machine has no IPv6',
    },
    PORT: { parse: parsePort, fallback: '8080', meaning: 'the port to listen on' },
    MINTMARK_TLS_CERT_FILE: {
      parse: parsePemFile(/-----BEGIN CERTIFICATE-----/, 'certificate'),
      meaning:
        'a PEM file with the certificate of the service and those between it and its authority; with it `MINTMARK_TLS_KEY_FILE`. Both are read at start, and again when they change; see [TLS and proxies](../run/tls-and-proxies.md)',
    },
    MINTMARK_TLS_KEY_FILE: {
      parse: parsePemFile(/-----BEGIN [A-Z ]*PRIVATE KEY-----/, 'private key'),
      meaning: 'a PEM file with its private key, without a passphrase',
    },
    MINTMARK_WORKERS: {
      parse: parseAutoOr(parseInteger(1, WORKERS_MAX)),
      fallback: 'auto',
      meaning: 'only `mintmark serve`: the number of serving threads; `auto`: one per core. On macOS and Windows one',
    },
    MINTMARK_DRAIN_SECONDS: {
      parse: parseInteger(0, 300),
      fallback: '5',
      unit: 'seconds',
      meaning: 'only `mintmark serve`: how long `/readyz` fails before the port closes',
    },
    MINTMARK_CONFIG_FILE: {
      parse: parseText,
      meaning:
        'a JSON file for settings that do not fit into variables: [Operators sign in](../run/operators-sign-in.md)',
    },
  }),
  ...inGroup('store', {
    MINTMARK_DATA_DIR: { parse: parseText, fallback: '.mintmark', meaning: 'the folder of the store, on a local disk' },
    DATABASE_URL: {
      parse: parseDatabaseUrl,
      otherwise: '`sqlite:` and `mintmark.db` in the data folder',
      example: 'sqlite:/var/lib/mintmark/mintmark.db',
      hasFile: true,
      meaning:
        '`sqlite:FILE`, or, a secret, `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE`; see [PostgreSQL](../run/postgresql.md). `dev` takes an address of PostgreSQL and no other',
    },
    MINTMARK_DATABASE_POOLING: {
      parse: parseOneOf(['session', 'transaction']),
      fallback: 'session',
      meaning:
        '`transaction` behind a pooler (PgBouncer), whatever its `pool_mode`: no statement stays prepared, and each transaction makes its own settings',
    },
    MINTMARK_FENCED_READS: {
      parse: parseOneOf(['auto', 'on', 'off']),
      fallback: 'auto',
      meaning:
        'whether looking up a token waits for the synchronous standby: if there is one (`auto`), always (`on`; refused if there is none), never (`off`)',
    },
    MINTMARK_ALLOW_UNSAFE_DATABASE: {
      parse: parseSomeOf(UNSAFE_DATABASES),
      meaning: 'unsafe settings to accept, which are refused otherwise',
    },
    MINTMARK_RETAIN_EXPIRED_DAYS: {
      parse: parseDays,
      fallback: '7',
      unit: 'days',
      meaning: 'how long history keeps a token that merely expired',
    },
    MINTMARK_RETAIN_ENDED_DAYS: {
      parse: parseDays,
      fallback: '400',
      unit: 'days',
      meaning: 'how long history keeps a token that was ended early',
    },
  }),
  ...inGroup('tokens', {
    MINTMARK_TOKEN_LIFETIME_SECONDS: {
      parse: parseInteger(1, LIFETIME_SECONDS_MAX),
      fallback: '300',
      unit: 'seconds',
      meaning:
        'the lifetime of tokens whose agent has no lifetime of its own. A verifier that checks offline learns of a revocation up to that much later',
    },
    MINTMARK_DEFAULT_AUDIENCE: {
      parse: parseAudience,
      otherwise: 'the base URL',
      example: 'https://api.example.com',
      meaning: 'the `aud` of a token requested without a resource, if the agent has no default of its own',
    },
    MINTMARK_CLAIM_NAMES: {
      parse: parseClaimNames,
      example: 'roles,tenant_id',
      meaning:
        'names, separated by commas, that own claims of agents may have beside URIs; none that means something in tokens already',
    },
    MINTMARK_DPOP_NONCE: {
      parse: parseOneOf(DPOP_NONCE_POLICIES),
      fallback: 'required',
      meaning:
        'whether a DPoP proof must carry a nonce of this service; `off` for clients that cannot repeat a request; see [Bound tokens](../agents/bound-tokens.md)',
    },
  }),
  ...inGroup('keys', {
    MINTMARK_KEY_ENCRYPTION_KEY: {
      parse: parseKeyEncryptionKeyText,
      required: KEY_EXPECTED,
      hasFile: true,
      isSecret: true,
      meaning:
        'a secret: 32 bytes in base64, that encrypts the signing keys at rest. `migrate` and `serve` need the same one. It is not in the store, and without it the signing key is lost: keep a copy elsewhere',
    },
    MINTMARK_SIGNING_ALGORITHM: {
      parse: parseOneOf(SIGNING_ALGORITHMS),
      fallback: 'ES256',
      meaning:
        'the algorithm of new signing keys; `RS256` has 3072 bits, `EdDSA` is Ed25519, `ML-DSA-65` is experimental. See [Keys](../run/keys.md)',
    },
    MINTMARK_KEY_ROTATION_DAYS: {
      parse: parseOffOr(parseInteger(1, 3650)),
      fallback: '30',
      unit: 'days',
      meaning: 'how long a key signs before the next one does; `off`: until an operator rotates',
    },
  }),
}
