// The reference of `mintmark doctor`: what each check looks at, what it warns of, and what to do.
import type { CheckName } from '../../api/values/checks.ts'
import { CHECKS, type Check } from '../../server/src/compose/doctor/checks.ts'

type Row = {
  readonly looksAt: string
  /** What is a warning or a problem. */
  readonly finds: readonly string[]
  readonly remedy: string
}

const ROWS: Readonly<Record<CheckName, Row>> = {
  configuration: {
    looksAt: 'the settings and the configuration file',
    finds: [
      'Problem: every mistake that keeps `serve` from starting.',
      'Warning: the service speaks plain HTTP beyond this machine.',
      'Warning: every user of the machine can read a file of a secret that a variable names.',
    ],
    remedy: 'The text names the variable and what was expected; [Settings](settings.md) describes each.',
  },
  versions: {
    looksAt: 'the versions of Mintmark and of Node',
    finds: ['Problem: this Node is too old.'],
    remedy: 'Install a newer Node.',
  },
  private_files: {
    looksAt: 'the files of the data folder: the store, and what `mintmark dev` puts there',
    finds: [
      'Warning: every user of the machine can read a file.',
      'Problem: every user can change a file, or replace files in the folder.',
    ],
    remedy: '`chmod 600` for the file, `chmod o-w` for the folder.',
  },
  disk_space: {
    looksAt: 'the disk of the embedded store; that of PostgreSQL cannot be seen from here',
    finds: [
      'Warning: less than 1 GiB or 5 % is free.',
      'Problem: less than 64 MiB is free, or no more files can be created. A full disk stops issuing and revoking.',
      'Warning: the write-ahead log (`-wal`) is larger than 1 GiB.',
    ],
    remedy: 'Make room.',
  },
  open_files: {
    looksAt: 'whether this process may open enough files for `MINTMARK_CONNECTIONS_MAX`',
    finds: [
      'Warning: it may not. In the command it is the limit of the shell, which may differ from that of the service.',
    ],
    remedy: 'Raise the limit: [Start and stop](../run/start-and-stop.md).',
  },
  tls_certificate: {
    looksAt: 'the certificate of `MINTMARK_TLS_CERT_FILE`, its chain, and the authorities of client certificates',
    finds: [
      'Problem: it has expired or is not valid yet. Warning: less than 30 days are left.',
      'Problem: it is not for the host of the base URL; a warning where proxies are trusted, whose certificate callers then see.',
      'Warning: an authority of client certificates expires.',
    ],
    remedy: 'Put a new certificate into the same files; a running service reads them by itself.',
  },
  reloaded_files: {
    looksAt: 'in a running service: whether files that were changed are in use',
    finds: ['Warning: a changed file cannot be used, and why; the earlier content stays in use.'],
    remedy: 'Correct the file. `mintmark doctor` shows it below `service`.',
  },
  trusted_proxies: {
    looksAt: '`MINTMARK_TRUSTED_PROXIES`',
    finds: [
      'Problem: a network of everybody (`/0`): every caller chooses its address.',
      'Warning: a base URL of `https` without a certificate here and without trusted proxies: every caller has the address of the proxy.',
    ],
    remedy: 'Name the proxies, and no others: [TLS and proxies](../run/tls-and-proxies.md).',
  },
  store: {
    looksAt:
      'whether the store can be read; an embedded store is opened so that no file beside it is created or changed',
    finds: [
      'Problem: it cannot be read, is a backup, moved elsewhere, or was made by `mintmark dev`.',
      'Problem: the PostgreSQL lacks what the service requires.',
    ],
    remedy: 'The text says what; [PostgreSQL](../run/postgresql.md) has the requirements.',
  },
  schema: {
    looksAt: 'the version of the schema against that of this program',
    finds: [
      'Problem: it is older, or newer and does not fit. Warning: newer and fitting, as during an upgrade.',
      'Warning: a role may create in the schema of the store, as in databases made before PostgreSQL 15: it could lead the service to run its functions.',
    ],
    remedy: 'Run `mintmark migrate`, or the newer program; revoke the grant: [PostgreSQL](../run/postgresql.md).',
  },
  collation: {
    looksAt: 'whether every column compares text by its bytes',
    finds: ['Problem: a column of PostgreSQL has another collation, so that rows are missed.'],
    remedy: 'Run the statement that the text has.',
  },
  clock: {
    looksAt: 'the clock of this machine against that of the database, and both against the lease of the store',
    finds: [
      'Warning: 5 s apart. Problem: 60 s apart, so that JWTs of operators are refused.',
      'Warning: more than 2 s behind the lease. Problem: more than 60 s behind, so that `serve` does not start.',
    ],
    remedy: 'Correct the clock: [The clock](../run/clock.md).',
  },
  key_encryption_key: {
    looksAt: 'whether the key-encryption key decrypts the signing keys of the store',
    finds: ['Problem: it does not.'],
    remedy: 'Configure the key with which the store was migrated.',
  },
  suspensions: {
    looksAt: 'whether agents, credentials, API keys or trusted issuers wait to be accepted after a restore',
    finds: ['Warning: some do; requests that use them are refused.'],
    remedy:
      'End again what had been ended, then run `mintmark restore accept`: [Backup and restore](../run/backup-and-restore.md).',
  },
  identity_providers: {
    looksAt: 'the metadata and keys of each identity provider',
    finds: ['Problem: they cannot be read, name another issuer, or have no usable key.'],
    remedy: 'Go through the causes: [Operators sign in](../run/operators-sign-in.md).',
  },
  trusted_issuers: {
    looksAt: 'the metadata and keys of each trusted issuer that is not disabled, and all records beside each other',
    finds: [
      'Problem: the keys cannot be read, or none is of use for its algorithms; the metadata names another issuer.',
      'Problem: the issuer is this service or holds a placeholder; a token could fit two records.',
      'Warning: two issuers have one `jwks_uri`; with a `jwks_uri`, the metadata names another issuer.',
    ],
    remedy: 'Correct the record, or create another in its place: `mintmark issuer`.',
  },
  service: {
    looksAt: 'the service at the base URL, or at `--url`',
    finds: [
      'Warning: no answer; with `--url` a problem.',
      'Problem: an untrusted or expired certificate, another issuer, or something that is not Mintmark.',
      'Warning: a component of `/readyz?verbose` is not `ok`; a problem where it is the store.',
    ],
    remedy: 'The text says what to look at.',
  },
}

const sectionOf = ({ name, needs, isFast }: Check): string => {
  const { looksAt, finds, remedy } = ROWS[name]
  return `## ${name}

Looks at ${looksAt}.
Needs: ${needs}. Also at the start of \`serve\` and in \`/readyz?verbose\`: ${isFast ? 'yes' : 'no'}.

${finds.map(line => `- ${line}\n`).join('')}
What to do: ${remedy}
`
}

/** A page in Markdown. */
export const writeDoctorChecks = (): string => `# Checks of mintmark doctor

Each check by its name, which never changes. [\`mintmark doctor\`](../run/doctor.md) says how to run them.
A check that needs what another one found wrong is a warning, \`Not checked\`, and names the other one.

${CHECKS.map(sectionOf).join('\n')}`
