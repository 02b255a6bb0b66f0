// The address of a store, as DATABASE_URL and the option --to have it.
import { PORT_MAX } from './addresses.ts'
import { type Parsed, type Parser, wrong } from './values.ts'

export type PostgresHost = { readonly host: string; readonly port: number }

export type PostgresUrl = {
  readonly hosts: readonly PostgresHost[]
  readonly database: string
  readonly user: string
  /** A secret; null: no password is sent. */
  readonly password: string | null
  readonly sslMode: string | null
  readonly rootCertificate: string | null
}

type DatabaseUrl = { readonly kind: 'sqlite'; readonly file: string } | ({ readonly kind: 'postgres' } & PostgresUrl)

const EXPECTED =
  'expected postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE, of the password @ as %40, / as %2F, % as %25 and so on'
const PORT_DEFAULT = 5432
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

export const parsePostgresUrl = (text: string): Parsed<PostgresUrl> => {
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
export const parseDatabaseUrl: Parser<DatabaseUrl> = text => {
  if (/^postgres(ql)?:/.test(text)) {
    const parsed = parsePostgresUrl(text)
    return 'wrong' in parsed ? parsed : { value: { kind: 'postgres', ...parsed.value } }
  }
  const file = sqliteFileIn(text)
  return file === undefined
    ? wrong('names no database; expected sqlite:FILE or postgres://USER@HOST/DATABASE')
    : { value: { kind: 'sqlite', file } }
}
