// The programs that the drill's cluster is made of, as this machine has them: nothing is fetched, nothing installed.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, isProgram } from '../../../testkit/processes/find-program.ts'

/** The user that the cluster runs as; PostgreSQL refuses to run as root. */
export type Account = { readonly uid: number; readonly gid: number }

export type Parts = {
  readonly etcd: string
  readonly patroni: string
  /** The folder of PostgreSQL's programs. */
  readonly postgresFolder: string
  /** Undefined for the user who runs the drill. */
  readonly account: Account | undefined
}

const POSTGRES_VERSIONS = '/usr/lib/postgresql'
const POSTGRES_VERSION_LEAST = 15
const ACCOUNTS = ['postgres', 'nobody']

const versionsIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const findPostgres = (): string | undefined =>
  versionsIn(POSTGRES_VERSIONS)
    .map(Number)
    .filter(version => version >= POSTGRES_VERSION_LEAST)
    .toSorted((a, b) => b - a)
    .map(version => join(POSTGRES_VERSIONS, String(version), 'bin'))
    .find(folder => ['postgres', 'initdb', 'pg_ctl', 'pg_rewind', 'psql'].every(name => isProgram(join(folder, name))))

const findAccount = (): Account | undefined => {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map(line => line.split(':'))
  const found = ACCOUNTS.map(name => users.find(([user]) => user === name)).find(user => user !== undefined)
  return found === undefined ? undefined : { uid: Number(found[2]), gid: Number(found[3]) }
}

/** What the machine has; or, a line each, what it lacks. */
export const findParts = (): Parts | readonly string[] => {
  if (process.platform !== 'linux') return ['Linux: what runs is found by /proc']
  const [etcd, patroni, postgresFolder] = [findProgram('etcd'), findProgram('patroni'), findPostgres()]
  const isRoot = process.getuid?.() === 0
  const account = isRoot ? findAccount() : undefined
  const missing = [
    ...(etcd === undefined ? ['etcd (Debian: etcd-server)'] : []),
    ...(patroni === undefined ? ['patroni (Debian: patroni, which brings python3-etcd along)'] : []),
    ...(postgresFolder === undefined
      ? [`PostgreSQL ${POSTGRES_VERSION_LEAST} or newer below ${POSTGRES_VERSIONS} (Debian: postgresql)`]
      : []),
    ...(isRoot && account === undefined ? [`one of the users ${ACCOUNTS.join(', ')}, since you are root`] : []),
  ]
  if (etcd === undefined || patroni === undefined || postgresFolder === undefined || missing.length > 0) return missing
  return { etcd, patroni, postgresFolder, account }
}
