// Reads variables and collects all mistakes. It knows all names, so that a mistyped name is a mistake too.
import { readFileSync, statSync } from 'node:fs'
import type { Parser } from './values.ts'

/** Each of these may come from a file instead, whose path is in NAME_FILE. */
const SECRET_VARIABLES = [
  'DATABASE_URL',
  'MINTMARK_KEY_ENCRYPTION_KEY',
  'MINTMARK_KEY_ENCRYPTION_KEY_OLD',
  'MINTMARK_API_KEY',
  'MINTMARK_OPERATOR_JWT',
  'MINTMARK_TOKEN',
  'PGPASSWORD',
] as const

/** Every variable that any command reads; `docs/operating.md` describes each. */
const VARIABLES = [
  'MINTMARK_BASE_URL',
  'HOST',
  'PORT',
  'DATABASE_URL',
  'DATABASE_URL_FILE',
  'MINTMARK_DATABASE_POOLING',
  'MINTMARK_FENCED_READS',
  'MINTMARK_ALLOW_UNSAFE_DATABASE',
  'MINTMARK_DATA_DIR',
  'MINTMARK_KEY_ENCRYPTION_KEY',
  'MINTMARK_KEY_ENCRYPTION_KEY_FILE',
  'MINTMARK_KEY_ENCRYPTION_KEY_OLD',
  'MINTMARK_KEY_ENCRYPTION_KEY_OLD_FILE',
  'MINTMARK_KEY_ROTATION_DAYS',
  'MINTMARK_SIGNING_ALGORITHM',
  'MINTMARK_IDP_ISSUER',
  'MINTMARK_IDP_AUDIENCE',
  'MINTMARK_IDP_JWKS_URI',
  'MINTMARK_IDP_ROLE_CLAIM',
  'MINTMARK_IDP_ROLE_SEPARATOR',
  'MINTMARK_TOKEN_LIFETIME_SECONDS',
  'MINTMARK_DEFAULT_AUDIENCE',
  'MINTMARK_TLS_CERT_FILE',
  'MINTMARK_TLS_KEY_FILE',
  'MINTMARK_TLS_CLIENT_CERTS',
  'MINTMARK_TLS_CLIENT_CA_FILE',
  'MINTMARK_TRUSTED_PROXIES',
  'MINTMARK_FAILED_AUTH_PER_CLIENT',
  'MINTMARK_FAILED_AUTH_PER_ADDRESS',
  'MINTMARK_CONNECTIONS_MAX',
  'MINTMARK_CONNECTIONS_PER_ADDRESS',
  'MINTMARK_CLIENT_CERT_HEADER',
  'MINTMARK_CLIENT_CERT_CHAIN',
  'MINTMARK_CONFIG_FILE',
  'MINTMARK_CLIENT_KEYS_ALLOWED_RANGES',
  'MINTMARK_BODY_BYTES_MAX',
  'MINTMARK_RETAIN_EXPIRED_DAYS',
  'MINTMARK_RETAIN_ENDED_DAYS',
  'MINTMARK_DEV_IDP_PORT',
  'MINTMARK_WORKERS',
  'MINTMARK_DRAIN_SECONDS',
  'MINTMARK_METRICS_ADDRESS',
  'MINTMARK_DPOP_NONCE',
  'MINTMARK_ACCESS_LOG',
  'LOG_LEVEL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_SDK_DISABLED',
  'OTEL_TRACES_EXPORTER',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'MINTMARK_URL',
  'MINTMARK_API_KEY',
  'MINTMARK_API_KEY_FILE',
  'MINTMARK_OPERATOR_JWT',
  'MINTMARK_OPERATOR_JWT_FILE',
  'MINTMARK_TOKEN',
  'MINTMARK_TOKEN_FILE',
  'PGPASSWORD',
  'PGPASSWORD_FILE',
] as const

type Variable = (typeof VARIABLES)[number]
type SecretFile = `${(typeof SECRET_VARIABLES)[number]}_FILE`

export type SettingReader = {
  /** The value, or undefined if the variable is unset or wrong; a wrong value is recorded as a mistake. */
  readonly optional: <T>(name: Variable, parse: Parser<T>) => T | undefined
  /** As `optional`, but an unset variable is a mistake, which says what was expected. */
  readonly required: <T>(name: Variable, parse: Parser<T>, expected: string) => T | undefined
  readonly isSet: (name: string) => boolean
  readonly mistake: (sentence: string) => void
  readonly mistakes: readonly string[]
  /** Warns if every user of the machine can read the secret file that the variable names. */
  readonly warnIfOpen: (name: Variable) => void
  readonly warn: (sentence: string) => void
  /** Not mistakes, but things to know about the configuration. */
  readonly warnings: readonly string[]
}

/** For users that are neither the file's owner nor in its group. */
const READABLE_BY_OTHERS = 0o004

/** The mode of a file that others can read; undefined if they cannot, or if modes mean nothing here. */
const openMode = (path: string): number | undefined => {
  if (process.platform === 'win32') return undefined
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  return (mode & READABLE_BY_OTHERS) === 0 ? undefined : mode & 0o777
}

const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [i, character] of a.split('').entries()) {
    const next = [i + 1]
    for (const [j, other] of b.split('').entries()) {
      const replaced = (row[j] ?? 0) + (character === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

// At a greater distance a known name is not a likely misspelling.
const HINT_DISTANCE_MAX = 5

const nearestVariable = (name: string): string | undefined => {
  const bare = VARIABLES.find(known => name === `MINTMARK_${known}`)
  if (bare !== undefined) return bare
  const ranked = VARIABLES.map(known => ({ known, distance: editDistance(name, known) }))
  const [nearest] = ranked.toSorted((a, b) => a.distance - b.distance)
  return nearest !== undefined && nearest.distance <= HINT_DISTANCE_MAX ? nearest.known : undefined
}

const unknownVariables = (env: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(env)
    .filter(name => name.startsWith('MINTMARK_') && env[name] !== undefined && !VARIABLES.some(known => known === name))
    .toSorted()
    .map(name => {
      const nearest = nearestVariable(name)
      const hint = nearest === undefined ? 'a name of docs/operating.md' : `perhaps ${nearest}`
      return `${name} is not a variable of this version; expected ${hint}`
    })

type Source = { readonly name: string; readonly text: string }

export const makeSettingReader = (env: Readonly<Record<string, string | undefined>>): SettingReader => {
  const mistakes = unknownVariables(env)
  // An empty variable counts as unset: Compose files and CI systems set empty ones.
  const isSet = (name: string): boolean => env[name] !== undefined && env[name] !== ''

  const warnings: string[] = []

  const warnIfOpen = (name: Variable): void => {
    const path = env[name] ?? ''
    const mode = openMode(path)
    if (mode === undefined) return
    warnings.push(
      `${name} names ${JSON.stringify(path)}, which every user of this machine can read (mode 0${mode.toString(8)}); expected a file for the service alone: chmod o-r, or a mode such as 0440 where something mounts it.`,
    )
  }

  const readSecretFile = (name: SecretFile): Source | undefined => {
    try {
      const text = readFileSync(env[name] ?? '', 'utf8').trim()
      warnIfOpen(name)
      return { name, text }
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
      mistakes.push(
        `${name} names ${JSON.stringify(env[name])}, which cannot be read (${code}); expected a readable file`,
      )
      return undefined
    }
  }

  const find = (name: Variable): Source | undefined => {
    const secret = SECRET_VARIABLES.find(one => one === name)
    const file = secret === undefined ? undefined : (`${secret}_FILE` as const)
    if (file === undefined || !isSet(file)) return isSet(name) ? { name, text: env[name] ?? '' } : undefined
    if (!isSet(name)) return readSecretFile(file)
    mistakes.push(`${name} and ${file} are both set; expected one of them`)
    return undefined
  }

  const optional = <T>(name: Variable, parse: Parser<T>): T | undefined => {
    const source = find(name)
    if (source === undefined) return undefined
    const answer = parse(source.text)
    if ('value' in answer) return answer.value
    mistakes.push(`${source.name} ${answer.wrong}`)
    return undefined
  }

  const required = <T>(name: Variable, parse: Parser<T>, expected: string): T | undefined => {
    if (!isSet(name) && !(SECRET_VARIABLES.some(secret => secret === name) && isSet(`${name}_FILE`))) {
      mistakes.push(`${name} is not set; expected ${expected}`)
      return undefined
    }
    return optional(name, parse)
  }

  const mistake = (sentence: string): void => void mistakes.push(sentence)
  const warn = (sentence: string): void => void warnings.push(sentence)
  return { optional, required, isSet, mistake, mistakes, warnIfOpen, warn, warnings }
}
