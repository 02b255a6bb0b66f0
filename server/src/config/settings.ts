// The settings of the service, one entry each: what it is about, and what it means. docs/operating/settings.md says the same of each.
import type { SettingGroup, SettingUnit } from '../../../api/values/settings.ts'

export type SettingEntry = {
  readonly group: SettingGroup
  /** The unit of its value, where that is a number. */
  readonly unit?: SettingUnit
  /** It may come from a file instead, whose path is in NAME_FILE. */
  readonly hasFile?: true
  /** Nobody is shown its value. */
  readonly isSecret?: true
  readonly meaning: string
}

export const SETTINGS = {
  MINTMARK_BASE_URL: {
    group: 'service',
    meaning:
      'the public address of the service, which is the issuer of its tokens. `https`, or `http` on loopback; no trailing slash, query or fragment; with a path, all routes are below it. Changing it makes every live token unknown',
  },
  HOST: {
    group: 'service',
    meaning: 'the address to listen on; for a name, its first address',
  },
  PORT: {
    group: 'service',
    meaning: 'the port to listen on',
  },
  MINTMARK_TLS_CERT_FILE: {
    group: 'service',
    meaning:
      'a PEM file with the certificate of the service and those between it and its authority; with it `MINTMARK_TLS_KEY_FILE`. Both are read at start, and again when they change; see "TLS, and a proxy in front"',
  },
  MINTMARK_TLS_KEY_FILE: {
    group: 'service',
    meaning: 'a PEM file with its private key, without a passphrase',
  },
  MINTMARK_WORKERS: {
    group: 'service',
    meaning:
      'only `mintmark serve`: the number of serving threads, 1 to 64, or `auto` for one per core. On macOS and Windows one',
  },
  MINTMARK_DRAIN_SECONDS: {
    group: 'service',
    unit: 'seconds',
    meaning: 'only `mintmark serve`: how long `/readyz` fails before the port closes. 0 to 300',
  },
  MINTMARK_CONFIG_FILE: {
    group: 'service',
    meaning: 'a JSON file for settings that do not fit into variables: Identity providers',
  },
  MINTMARK_DATA_DIR: {
    group: 'store',
    meaning: 'the folder of the store, on a local disk',
  },
  DATABASE_URL: {
    group: 'store',
    hasFile: true,
    meaning:
      '`sqlite:FILE` (`sqlite:mintmark.db`, `sqlite:/var/lib/mintmark/mintmark.db`), or, a secret, `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE`; see A store on PostgreSQL. `dev` takes an address of PostgreSQL and no other',
  },
  MINTMARK_DATABASE_POOLING: {
    group: 'store',
    meaning:
      '`transaction` behind a pooler (PgBouncer), whatever its `pool_mode`: no statement stays prepared, and each transaction makes its own settings',
  },
  MINTMARK_FENCED_READS: {
    group: 'store',
    meaning:
      'whether looking up a token waits for the synchronous standby: if there is one (`auto`), always (`on`; refused if there is none), never (`off`)',
  },
  MINTMARK_ALLOW_UNSAFE_DATABASE: {
    group: 'store',
    meaning:
      'unsafe settings to accept, which are refused otherwise: `fsync`, `full_page_writes`, `plaintext`, `quorum`, several separated by commas',
  },
  MINTMARK_RETAIN_EXPIRED_DAYS: {
    group: 'store',
    unit: 'days',
    meaning: 'how long history keeps a token that merely expired',
  },
  MINTMARK_RETAIN_ENDED_DAYS: {
    group: 'store',
    unit: 'days',
    meaning: 'how long history keeps a token that was ended early',
  },
  MINTMARK_TOKEN_LIFETIME_SECONDS: {
    group: 'tokens',
    unit: 'seconds',
    meaning:
      'the lifetime of tokens whose agent has no lifetime of its own; 1 to 86400. A verifier that checks offline learns of a revocation up to that much later',
  },
  MINTMARK_DEFAULT_AUDIENCE: {
    group: 'tokens',
    meaning: 'the `aud` of a token requested without a resource, if the agent has no default of its own',
  },
  MINTMARK_DPOP_NONCE: {
    group: 'tokens',
    meaning:
      'whether a DPoP proof must carry a nonce of this service: `required`, or `off` for clients that cannot repeat a request; see dpop.md',
  },
  MINTMARK_KEY_ENCRYPTION_KEY: {
    group: 'keys',
    hasFile: true,
    isSecret: true,
    meaning:
      'a secret: 32 bytes in base64, that encrypts the signing keys at rest. `migrate` and `serve` need the same one. It is not in the store, and without it the signing key is lost: keep a copy elsewhere',
  },
  MINTMARK_SIGNING_ALGORITHM: {
    group: 'keys',
    meaning:
      'the algorithm of new signing keys: `ES256`, `RS256` (3072 bits), `EdDSA` (Ed25519) or, experimental, `ML-DSA-65`. See Signing keys',
  },
  MINTMARK_KEY_ROTATION_DAYS: {
    group: 'keys',
    unit: 'days',
    meaning: 'how long a key signs before the next one does, 1 to 3650 days, or `off`: until an operator rotates',
  },
  MINTMARK_IDP_ISSUER: {
    group: 'operators',
    meaning: 'the identity provider whose JWTs identify operators, exactly as in its `iss`',
  },
  MINTMARK_IDP_AUDIENCE: {
    group: 'operators',
    meaning: "the `aud` of the operators' JWTs",
  },
  MINTMARK_IDP_JWKS_URI: {
    group: 'operators',
    meaning: "where the identity provider's keys are, 64 at most; `https`, or `http` on loopback",
  },
  MINTMARK_IDP_ROLE_CLAIM: {
    group: 'operators',
    meaning:
      'the claim with the roles, a string or an array of strings; a dotted path reaches nested members, the exact name is tried first',
  },
  MINTMARK_IDP_ROLE_SEPARATOR: {
    group: 'operators',
    meaning:
      'how to read a role claim that is a string: `none`: the whole string is one role; `space` or `comma`: it is a list. Members of an array are never split',
  },
  MINTMARK_CONSOLE_CLIENT_ID: {
    group: 'operators',
    meaning: "the console's client at the identity provider; without it nobody signs in",
  },
  MINTMARK_CONSOLE_CLIENT_SECRET: {
    group: 'operators',
    hasFile: true,
    isSecret: true,
    meaning:
      "a secret, that of the console's client; without one the client is public, and PKCE alone protects the sign-in",
  },
  MINTMARK_CONSOLE_ISSUER: {
    group: 'operators',
    meaning: 'at which of several identity providers operators sign in',
  },
  MINTMARK_CONSOLE_SCOPE: {
    group: 'operators',
    meaning: 'what the sign-in asks for, such as `openid offline_access`',
  },
  MINTMARK_CONSOLE_PARAMETERS: {
    group: 'operators',
    meaning: 'further parameters of the authorization request, as a query: `audience=mintmark`',
  },
  MINTMARK_DEV_IDP_PORT: {
    group: 'operators',
    meaning: 'only `mintmark dev`: the port of its identity provider',
  },
  MINTMARK_TLS_CLIENT_CA_FILE: {
    group: 'clients',
    meaning: 'a PEM file with the authorities that issue client certificates; see client-certificates.md',
  },
  MINTMARK_TLS_CLIENT_CERTS: {
    group: 'clients',
    meaning: 'whether to request a certificate from clients: `request`, or `off`',
  },
  MINTMARK_CLIENT_CERT_HEADER: {
    group: 'clients',
    meaning:
      "the header with the client's certificate: its name, a space and its format, one of `rfc9440`, `pem`, `base64`, `xfcc`",
  },
  MINTMARK_CLIENT_CERT_CHAIN: {
    group: 'clients',
    meaning:
      'whether the proxies forward only certificates whose chain they `verified`, or any: `unverified`. Set it together with the trusted proxies and the header, or the trusted proxies alone',
  },
  MINTMARK_CLIENT_KEYS_ALLOWED_RANGES: {
    group: 'clients',
    meaning:
      "private networks, as `10.0.0.0/8,fd00::/8`, from which keys of clients and of workloads' issuers may be fetched; see client-authentication.md",
  },
  MINTMARK_TRUSTED_PROXIES: {
    group: 'limits',
    meaning:
      "addresses and networks, as `10.0.0.7,fd00::/8`, of proxies that say where a request came from, in `Forwarded` or `X-Forwarded-For` (limits.md), and whose header with the client's certificate is trusted. They must overwrite or append to the one, and delete the other",
  },
  MINTMARK_FAILED_AUTH_PER_CLIENT: {
    group: 'limits',
    meaning:
      'failed authentications a minute with one client id from one address; beyond them a wrong credential gets 429 instead of 401, a right one is always accepted. 1 to 1000000, or `off`',
  },
  MINTMARK_FAILED_AUTH_PER_ADDRESS: {
    group: 'limits',
    meaning:
      'failed authentications a minute from one address (of IPv6: /64), whatever the credential. 1 to 1000000, or `off`',
  },
  MINTMARK_CONNECTIONS_MAX: {
    group: 'limits',
    meaning:
      'connections of the process at once, 16 to 1000000; more are closed at once. Fewer if the process may open fewer than that many files and 256 others',
  },
  MINTMARK_CONNECTIONS_PER_ADDRESS: {
    group: 'limits',
    meaning: 'connections from one address (of IPv6: /64) at once. Trusted proxies and loopback addresses are exempt',
  },
  MINTMARK_BODY_BYTES_MAX: {
    group: 'limits',
    unit: 'bytes',
    meaning: 'the largest request body, 1024 to 1048576; a larger one gets 413',
  },
  LOG_LEVEL: {
    group: 'telemetry',
    meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
  },
  MINTMARK_ACCESS_LOG: {
    group: 'telemetry',
    meaning: '`on`: a line in the log for each request; see logs.md',
  },
  MINTMARK_USE_EVIDENCE: {
    group: 'telemetry',
    meaning: '`off`: it is not counted where tokens are used',
  },
  MINTMARK_METRICS_ADDRESS: {
    group: 'telemetry',
    meaning:
      'where metrics are scraped, as `HOST:PORT`, such as `127.0.0.1:9464` or `[::1]:9464`; another port than `PORT`. `off`: nothing is measured',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    group: 'telemetry',
    meaning: 'where traces are exported, such as `http://127.0.0.1:4318`; without it nothing is traced',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    group: 'telemetry',
    meaning: 'the whole address for traces',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    group: 'telemetry',
    meaning: 'no other value is accepted',
  },
  OTEL_SDK_DISABLED: {
    group: 'telemetry',
    meaning: '`true`: nothing is traced',
  },
  OTEL_TRACES_EXPORTER: {
    group: 'telemetry',
    meaning: '`none`: nothing is traced',
  },
  OTEL_TRACES_SAMPLER: {
    group: 'telemetry',
    meaning: '`always_on`, `always_off`, `traceidratio`, or one of these behind `parentbased_`',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    group: 'telemetry',
    meaning: 'the share of requests that `traceidratio` samples, from 0 to 1',
  },
} as const satisfies Readonly<Record<string, SettingEntry>>
