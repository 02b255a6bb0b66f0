// The location of the store: a local file, or a PostgreSQL database, by DATABASE_URL and related settings.
import { getCACertificates } from 'node:tls'
import { join, resolve } from 'node:path'
import type { SettingReader } from './reader.ts'
import { type Parsed, type Parser, parseOneOf, parsePemFile } from './values.ts'

type PostgresHost = { readonly host: string; readonly port: number }

/** Unsafe settings of a database, refused unless an operator allows them by these names. */
const UNSAFE_DATABASES = ['fsync', 'full_page_writes', 'plaintext', 'quorum'] as const

type UnsafeDatabase = (typeof UNSAFE_DATABASES)[number]

type PostgresUrl = {
  readonly hosts: readonly PostgresHost[]
  readonly database: string
  readonly user: string
  /** A secret; null: no password is sent. */
  readonly password: string | null
  readonly sslMode: string | null
  readonly rootCertificate: string | null
}

export type PostgresConfig = Omit<PostgresUrl, 'sslMode' | 'rootCertificate'> & {
  /** Null where TLS is off. `ca`: certificates in PEM instead of the system's. */
  readonly tls: { readonly ca: string | null } | null
  readonly allowed: readonly UnsafeDatabase[]
  readonly pooling: 'session' | 'transaction'
  readonly fencedReads: 'auto' | 'on' | 'off'
}

type DatabaseUrl = { readonly kind: 'sqlite'; readonly file: string } | ({ readonly kind: 'postgres' } & PostgresUrl)

const wrong = (sentence: string): { readonly wrong: string } => ({ wrong: sentence })

const EXPECTED =
  'expected postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE, of the password @ as %40, / as %2F, % as %25 and so on'
const PORT_DEFAULT = 5432
const PORT_MAX = 65_535
const HOSTS_MAX = 16
const PARAMETERS = ['host', 'port', 'sslmode', 'sslrootcert', 'target_session_attrs']
const URL_PARTS = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/
const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]]+)?(?::(\d{1,5}))?$/i

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** A name, an address, or the folder of a socket, as libpq takes it: %2Frun%2Fpostgresql. */
const isHost = (host: string): boolean => host.startsWith('/') || !host.includes('/')

const hostOf = (text: string): PostgresHost | undefined => {
  const [found, written = '', port] = HOST.exec(text) ?? []
  const host = decode(written)
  const number = port === undefined ? PORT_DEFAULT : Number(port)
  if (found === undefined || host === undefined || !isHost(host) || number < 1 || number > PORT_MAX) return undefined
  return { host: host.replace(/^\[|\]$/g, ''), port: number }
}

// The folder of a socket may be a parameter, too.
const hostsOf = (authority: string, parameters: URLSearchParams): readonly (PostgresHost | undefined)[] => {
  const port = Number(parameters.get('port') ?? PORT_DEFAULT)
  const folder = parameters.get('host')
  if (folder !== null) return authority === '' ? [{ host: folder, port }] : [undefined]
  return authority === '' ? [undefined] : authority.split(',').map(hostOf)
}

const isWhole = <T>(parts: readonly (T | undefined)[]): parts is readonly T[] => !parts.includes(undefined)

const parsePostgresUrl = (text: string): Parsed<PostgresUrl> => {
  const [found, credentials = '', authority = '', path = '', query = ''] = URL_PARTS.exec(text) ?? []
  if (found === undefined) return wrong(`cannot be read as the address of a database; ${EXPECTED}`)
  const parameters = new URLSearchParams(query)
  const stranger = [...parameters.keys()].find(name => !PARAMETERS.includes(name))
  if (stranger !== undefined) return wrong(`holds a parameter that is none of ${PARAMETERS.join(', ')}; ${EXPECTED}`)
  const target = parameters.get('target_session_attrs') ?? 'primary'
  if (!['primary', 'read-write'].includes(target)) {
    return wrong('asks for another target_session_attrs than primary; expected none: only the primary knows')
  }
  const hosts = hostsOf(authority, parameters)
  const [, rawUser = '', rawPassword] = /^([^:]*)(?::(.*))?$/.exec(credentials) ?? []
  const [user, password, database] = [decode(rawUser), decode(rawPassword ?? ''), decode(path)]
  if (!isWhole(hosts) || hosts.length > HOSTS_MAX) return wrong(`names no host, or one that is none; ${EXPECTED}`)
  if (user === undefined || password === undefined) return wrong(`holds a % that encodes nothing; ${EXPECTED}`)
  if (user === '') return wrong(`names no user; ${EXPECTED}`)
  if (database === undefined || database === '') return wrong(`names no database; ${EXPECTED}`)
  return {
    value: {
      hosts,
      database,
      user,
      password: rawPassword === undefined ? null : password,
      sslMode: parameters.get('sslmode'),
      rootCertificate: parameters.get('sslrootcert'),
    },
  }
}

/** The file in `sqlite:FILE` or `sqlite:///FILE`; undefined if the text has another form. Behind two slashes stands a host. */
export const sqliteFileIn = (url: string): string | undefined =>
  /^sqlite:(?!:memory:|\/\/[^/])(?:\/\/(?=\/))?([^?#]+)$/.exec(url)?.[1]

/** The text may contain a password, so no message quotes it. */
const parseDatabaseUrl: Parser<DatabaseUrl> = text => {
  if (/^postgres(ql)?:/.test(text)) {
    const parsed = parsePostgresUrl(text)
    return 'wrong' in parsed ? parsed : { value: { kind: 'postgres', ...parsed.value } }
  }
  const file = sqliteFileIn(text)
  return file === undefined
    ? wrong('names no database; expected sqlite:FILE or postgres://USER@HOST/DATABASE')
    : { value: { kind: 'sqlite', file } }
}

const parsePassword: Parser<string> = text =>
  text.includes('\0') || text.includes('\n') ? wrong('is not one line') : { value: text }

const parseUnsafe: Parser<readonly UnsafeDatabase[]> = text => {
  const names = text.split(',').map(name => name.trim())
  const known = names.flatMap(name => UNSAFE_DATABASES.filter(unsafe => unsafe === name))
  return known.length === names.length
    ? { value: known }
    : wrong(`is ${JSON.stringify(text)}; expected some of ${UNSAFE_DATABASES.join(',')}`)
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
  const allowed = read.orElse('MINTMARK_ALLOW_UNSAFE_DATABASE', parseUnsafe, [])
  const { hosts, database, user, password } = given.url
  return {
    hosts,
    database,
    user,
    password,
    allowed,
    tls: readTls(read, given, allowed),
    pooling: read.orElse('MINTMARK_DATABASE_POOLING', parseOneOf(['session', 'transaction']), 'session'),
    fencedReads: read.orElse('MINTMARK_FENCED_READS', parseOneOf(['auto', 'on', 'off']), 'auto'),
  }
}

/** The location of the store: a file in the data folder by default. */
export const readDatabase = (read: SettingReader, dataDirectory: string) => {
  const file = join(dataDirectory, 'mintmark.db')
  const url = read.orElse('DATABASE_URL', parseDatabaseUrl, undefined, `sqlite:${file}`)
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
  return { ...parsed.value, password: read.optional('PGPASSWORD', parsePassword) ?? null }
}

/** The target of a move: named by an option, or else by DATABASE_URL. */
export const readMoveTarget = (read: SettingReader, to: string | undefined): PostgresConfig | undefined => {
  if (to !== undefined) {
    const url = readOption(read, to)
    return url === undefined ? undefined : readPostgres(read, { url, source: '--to' })
  }
  const url = read.optional('DATABASE_URL', parseDatabaseUrl)
  if (url?.kind === 'postgres') return readPostgres(read, { url, source: 'DATABASE_URL' })
  if (read.mistakes.length === 0) read.mistake(`No database is named; ${NO_TARGET}`)
  return undefined
}

/** `dev` keeps its store in its own folder, and accepts only addresses of PostgreSQL databases. */
export const databaseForDev = (url: string | undefined): string | undefined =>
  url !== undefined && /^postgres(ql)?:/.test(url) ? url : undefined
