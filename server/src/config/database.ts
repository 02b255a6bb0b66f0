// The location of the store: a local file, or a PostgreSQL database, by DATABASE_URL and related settings.
import { getCACertificates } from 'node:tls'
import { join, resolve } from 'node:path'
import type { SettingReader } from './reader.ts'
import { type PostgresHost, parsePostgresUrl, type PostgresUrl } from './database-url.ts'
import { parsePemFile } from './files.ts'
import type { UNSAFE_DATABASES } from './settings/service-settings.ts'

type UnsafeDatabase = (typeof UNSAFE_DATABASES)[number]

export type PostgresConfig = Omit<PostgresUrl, 'sslMode' | 'rootCertificate'> & {
  /** Null where TLS is off. `ca`: certificates in PEM instead of the system's. */
  readonly tls: { readonly ca: string | null } | null
  readonly allowed: readonly UnsafeDatabase[]
  readonly pooling: 'session' | 'transaction'
  readonly fencedReads: 'auto' | 'on' | 'off'
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\/.*)$/

const isOnThisMachine = ({ host }: PostgresHost): boolean => LOOPBACK.test(host)

type Source = 'DATABASE_URL' | '--to'

/** The value of `sslrootcert` that names the certificates of this system instead of a file, as in libpq. */
const SYSTEM = 'system'

const readSystemCertificates = (read: SettingReader, source: Source): string => {
  const certificates = getCACertificates('system')
  if (certificates.length === 0) {
    read.mistake(`${source} asks for sslrootcert=system, but this system trusts no certificate; expected a PEM file`)
  }
  return certificates.join('\n')
}

const readCertificates = (read: SettingReader, path: string | null, source: Source): string | null => {
  if (path === null) return null
  if (path === SYSTEM) return readSystemCertificates(read, source)
  const file = parsePemFile(/-----BEGIN CERTIFICATE-----/, 'certificate')(path)
  if ('value' in file) return file.value
  read.mistake(`${source}, in sslrootcert, ${file.wrong}`)
  return null
}

type GivenUrl = { readonly url: PostgresUrl; readonly source: Source }

const readTls = (
  read: SettingReader,
  { url, source }: GivenUrl,
  allowed: readonly UnsafeDatabase[],
): PostgresConfig['tls'] => {
  const isLocal = url.hosts.every(isOnThisMachine)
  const isPlain = isLocal && url.rootCertificate !== SYSTEM
  const mode = url.sslMode ?? (isPlain ? 'disable' : 'verify-full')
  if (mode === 'verify-full') return { ca: readCertificates(read, url.rootCertificate, source) }
  if (mode !== 'disable' || url.rootCertificate === SYSTEM) {
    read.mistake(
      `${source} asks for an sslmode that does not verify the server; expected verify-full, or disable on this machine`,
    )
  } else if (!isLocal && !allowed.includes('plaintext')) {
    read.mistake(
      `${source} asks for no TLS to another machine; expected sslmode=verify-full, or MINTMARK_ALLOW_UNSAFE_DATABASE=plaintext`,
    )
  }
  return null
}

/** The settings of a PostgreSQL database. */
const readPostgres = (read: SettingReader, given: GivenUrl): PostgresConfig => {
  const allowed = read.value('MINTMARK_ALLOW_UNSAFE_DATABASE') ?? []
  const { hosts, database, user, password } = given.url
  return {
    hosts,
    database,
    user,
    password,
    allowed,
    tls: readTls(read, given, allowed),
    pooling: read.value('MINTMARK_DATABASE_POOLING'),
    fencedReads: read.value('MINTMARK_FENCED_READS'),
  }
}

/** The location of the store: a file in the data folder by default. */
export const readDatabase = (read: SettingReader, dataDirectory: string) => {
  const file = join(dataDirectory, 'mintmark.db')
  const url = read.value('DATABASE_URL', `sqlite:${file}`)
  return {
    databaseFile: url?.kind === 'sqlite' ? resolve(url.file) : file,
    postgres: url?.kind === 'postgres' ? readPostgres(read, { url, source: 'DATABASE_URL' }) : null,
  }
}

const NO_TARGET = 'expected --to postgres://USER@HOST/DATABASE, or DATABASE_URL with the address of an empty database'

/** Other users of the machine can see options, so the option must not contain the password. */
const readOption = (read: SettingReader, to: string): PostgresUrl | undefined => {
  const parsed = parsePostgresUrl(to)
  if ('wrong' in parsed) {
    read.mistake(`--to ${parsed.wrong}`)
    return undefined
  }
  if (parsed.value.password !== null) {
    read.mistake(
      '--to holds a password, which other users of this machine can see, so change it; expected it in PGPASSWORD, PGPASSWORD_FILE, or with the whole address in DATABASE_URL',
    )
    return undefined
  }
  return { ...parsed.value, password: read.value('PGPASSWORD') ?? null }
}

/** The target of a move: named by an option, or else by DATABASE_URL. */
export const readMoveTarget = (read: SettingReader, to: string | undefined): PostgresConfig | undefined => {
  if (to !== undefined) {
    const url = readOption(read, to)
    return url === undefined ? undefined : readPostgres(read, { url, source: '--to' })
  }
  const url = read.value('DATABASE_URL')
  if (url?.kind === 'postgres') return readPostgres(read, { url, source: 'DATABASE_URL' })
  if (read.mistakes.length === 0) read.mistake(`No database is named; ${NO_TARGET}`)
  return undefined
}

/** `dev` keeps its store in its own folder, and accepts only addresses of PostgreSQL databases. */
export const databaseForDev = (url: string | undefined): string | undefined =>
  url !== undefined && /^postgres(ql)?:/.test(url) ? url : undefined
