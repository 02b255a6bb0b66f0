// Where the store is: a file of this machine, or a PostgreSQL database, as DATABASE_URL and its companions name it.
import { join, resolve } from 'node:path'
import type { SettingReader } from './config-reader.ts'
import { type Parsed, type Parser, parseOneOf, parsePemFile } from './config-values.ts'

export type PostgresHost = { readonly host: string; readonly port: number }

/** What would break a promise, and is refused unless an operator allows it by this name. */
export const UNSAFE_DATABASES = ['fsync', 'full_page_writes', 'plaintext', 'quorum'] as const

export type UnsafeDatabase = (typeof UNSAFE_DATABASES)[number]

type PostgresUrl = {
  readonly hosts: readonly PostgresHost[]
  readonly database: string
  readonly user: string
  /** A secret; null: none is sent. */
  readonly password: string | null
  readonly sslMode: string | null
  readonly rootCertificate: string | null
}

export type PostgresConfig = Omit<PostgresUrl, 'sslMode' | 'rootCertificate'> & {
  /** Null: no TLS. `ca`: certificates in PEM in place of the system's. */
  readonly tls: { readonly ca: string | null } | null
  readonly allowed: readonly UnsafeDatabase[]
  readonly pooling: 'session' | 'transaction'
  readonly fencedReads: 'auto' | 'on' | 'off'
}

type DatabaseUrl = { readonly kind: 'sqlite'; readonly file: string } | ({ readonly kind: 'postgres' } & PostgresUrl)

const wrong = (sentence: string): { readonly wrong: string } => ({ wrong: sentence })

const EXPECTED = 'expected postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE'
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

const hostOf = (text: string): PostgresHost | undefined => {
  const [found, host = '', port] = HOST.exec(text) ?? []
  const number = port === undefined ? PORT_DEFAULT : Number(port)
  if (found === undefined || number < 1 || number > PORT_MAX) return undefined
  return { host: host.replace(/^\[|\]$/g, ''), port: number }
}

// The folder of a socket cannot stand before the path: it is a parameter, as libpq has it.
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
  if (user === undefined || user === '' || password === undefined) return wrong(`names no user; ${EXPECTED}`)
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

/** The text may hold a password, so no message quotes it. */
const parseDatabaseUrl: Parser<DatabaseUrl> = text => {
  if (/^postgres(ql)?:/.test(text)) {
    const parsed = parsePostgresUrl(text)
    return 'wrong' in parsed ? parsed : { value: { kind: 'postgres', ...parsed.value } }
  }
  const file = /^sqlite:(?!:memory:)(?:\/\/(?=\/))?([^?#]+)$/.exec(text)?.[1]
  return file === undefined
    ? wrong('names no database; expected sqlite:FILE or postgres://USER@HOST/DATABASE')
    : { value: { kind: 'sqlite', file } }
}

const parseUnsafe: Parser<readonly UnsafeDatabase[]> = text => {
  const names = text.split(',').map(name => name.trim())
  const known = names.flatMap(name => UNSAFE_DATABASES.filter(unsafe => unsafe === name))
  return known.length === names.length
    ? { value: known }
    : wrong(`is ${JSON.stringify(text)}; expected some of ${UNSAFE_DATABASES.join(',')}`)
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\/.*)$/

const isOnThisMachine = ({ host }: PostgresHost): boolean => LOOPBACK.test(host)

const readCertificates = (read: SettingReader, path: string | null): string | null => {
  if (path === null) return null
  const file = parsePemFile(/-----BEGIN CERTIFICATE-----/, 'certificate')(path)
  if ('value' in file) return file.value
  read.mistake(`DATABASE_URL, in sslrootcert, ${file.wrong}`)
  return null
}

const readTls = (read: SettingReader, url: PostgresUrl, allowed: readonly UnsafeDatabase[]): PostgresConfig['tls'] => {
  const isLocal = url.hosts.every(isOnThisMachine)
  const mode = url.sslMode ?? (isLocal ? 'disable' : 'verify-full')
  if (mode === 'verify-full') return { ca: readCertificates(read, url.rootCertificate) }
  if (mode !== 'disable') {
    read.mistake(
      'DATABASE_URL asks for an sslmode that does not verify the server; expected verify-full, or disable on this machine',
    )
  } else if (!isLocal && !allowed.includes('plaintext')) {
    read.mistake(
      'DATABASE_URL asks for no TLS to another machine; expected sslmode=verify-full, or MINTMARK_ALLOW_UNSAFE_DATABASE=plaintext',
    )
  }
  return null
}

/** What goes with a database on PostgreSQL. */
const readPostgres = (read: SettingReader, url: PostgresUrl): PostgresConfig => {
  const allowed = read.optional('MINTMARK_ALLOW_UNSAFE_DATABASE', parseUnsafe) ?? []
  const { hosts, database, user, password } = url
  return {
    hosts,
    database,
    user,
    password,
    allowed,
    tls: readTls(read, url, allowed),
    pooling: read.optional('MINTMARK_DATABASE_POOLING', parseOneOf(['session', 'transaction'])) ?? 'session',
    fencedReads: read.optional('MINTMARK_FENCED_READS', parseOneOf(['auto', 'on', 'off'])) ?? 'auto',
  }
}

/** Where the store is: in a file of the data folder unless DATABASE_URL says otherwise. */
export const readDatabase = (read: SettingReader, dataDirectory: string) => {
  const url = read.optional('DATABASE_URL', parseDatabaseUrl)
  return {
    databaseFile: url?.kind === 'sqlite' ? resolve(url.file) : join(dataDirectory, 'mintmark.db'),
    postgres: url?.kind === 'postgres' ? readPostgres(read, url) : null,
  }
}

/** `dev` keeps what it makes in its own folder, and takes no address but one of a PostgreSQL database. */
export const databaseForDev = (url: string | undefined): string | undefined =>
  url !== undefined && /^postgres(ql)?:/.test(url) ? url : undefined
