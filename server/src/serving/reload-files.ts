// Reads files of the configuration again when they change, while the service runs: the certificates of TLS, and the identity
// providers of the configuration file. What cannot be used changes nothing, and is reported.
import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { ConfigurationError, type Environment, type ServeConfig } from '../config/config.ts'
import { readProvidersAgain, readReloadedPaths, readTlsAgain, type ReloadedKind } from '../config/read-again.ts'
import type { Timing } from '../ports/timing.ts'
import type { Reloaded } from './thread-messages.ts'

const SETTLE_READS_MAX = 25

type Options = {
  readonly config: ServeConfig
  readonly environment: Environment
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Puts what was read into use; throws where that is refused. */
  readonly apply: (reloaded: Reloaded) => void
  /** Called after each attempt that changed what is in use, or what is wrong. */
  readonly onChange: () => void
  readonly timing: Pick<Timing, 'reloadPollMs' | 'reloadSettleMs'>
}

type Failures = Partial<Record<ReloadedKind, string>>

const READERS: Readonly<Record<ReloadedKind, (environment: Environment) => Promise<Reloaded>>> = {
  tls: async environment => readTlsAgain(environment),
  providers: async environment => ({ identityProviders: await readProvidersAgain(environment) }),
}

const CURRENT: Readonly<Record<ReloadedKind, (config: ServeConfig) => Reloaded>> = {
  tls: ({ tls, clientCertificates }) => ({ tls, clientCertificates }),
  providers: ({ identityProviders }) => ({ identityProviders }),
}

const IN_USE: Readonly<Record<ReloadedKind, string>> = {
  tls: 'The changed files of TLS are in use: new connections get the new certificate.',
  providers:
    'The changed configuration file is in use: operators of its identity providers are recognized, and no others.',
}

const UNCHANGED: Readonly<Record<ReloadedKind, string>> = {
  tls: 'the files of TLS were read again, and nothing has changed.',
  providers: 'the configuration file was read again, and nothing has changed.',
}

const stateOf = async (path: string): Promise<string> => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch (fault) {
    return fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault)
  }
}

/** Follows links, so that a link which is replaced is a change. */
const statesOf = async (paths: readonly string[]): Promise<string> => (await Promise.all(paths.map(stateOf))).join('\n')

const settle = async (paths: readonly string[], settleMs: number): Promise<string> => {
  let last = await statesOf(paths)
  for (let reads = 0; reads < SETTLE_READS_MAX; reads += 1) {
    await delay(settleMs, undefined, { ref: false })
    const next = await statesOf(paths)
    if (next === last) return next
    last = next
  }
  return last
}

type Watched = {
  readonly kind: ReloadedKind
  readonly paths: readonly string[]
  seen: string | undefined
  inUse: string
}

const makeWatch = (options: Options, failures: Failures) => {
  const { environment, logger, apply, onChange, timing } = options

  const fail = ({ kind }: Watched, fault: unknown): void => {
    if (!(fault instanceof ConfigurationError)) logger.error({ err: fault }, 'changed files could not be read')
    const reason = fault instanceof Error ? fault.message : String(fault)
    // They are tried again each time, until they change or are right.
    if (failures[kind] === reason) return
    failures[kind] = reason
    logger.warn(
      { event: 'files_unusable', reason },
      `Changed files cannot be used, and what was read before stays in use: ${reason}`,
    )
    onChange()
  }

  const use = (watched: Watched, reloaded: Reloaded): 'changed' | 'unchanged' => {
    const { kind } = watched
    const text = JSON.stringify(reloaded)
    const isNew = text !== watched.inUse
    if (!isNew && failures[kind] === undefined) return 'unchanged'
    if (isNew) apply(reloaded)
    logger.info(
      { event: 'files_in_use' },
      isNew ? IN_USE[kind] : 'Files that could not be used are again as they were read.',
    )
    watched.inUse = text
    delete failures[kind]
    onChange()
    return 'changed'
  }

  return async (watched: Watched, isDemanded: boolean): Promise<void> => {
    const { kind, paths } = watched
    if (!isDemanded && (await statesOf(paths)) === watched.seen) return
    // Noted before the files are read: a change during the reading counts as another change.
    const seen = await settle(paths, timing.reloadSettleMs)
    try {
      const outcome = use(watched, await READERS[kind](environment))
      watched.seen = seen
      if (isDemanded && outcome === 'unchanged') logger.info({ event: 'files_unchanged' }, `SIGHUP: ${UNCHANGED[kind]}`)
    } catch (fault) {
      watched.seen = undefined
      fail(watched, fault)
    }
  }
}

export type RunningReload = {
  /** Why changed files are not in use, where they are not. */
  readonly failures: () => Failures
  /** Reads them all now, changed or not. */
  readonly demand: () => void
  readonly stop: () => void
}

/** Checks the files from now on, one check at a time. */
export const reloadFiles = (options: Options): RunningReload => {
  const failures: Failures = {}
  const paths = readReloadedPaths(options.environment)
  const watched = (['tls', 'providers'] as const)
    .filter(kind => paths[kind].length > 0)
    .map((kind): Watched => {
      const inUse = JSON.stringify(CURRENT[kind](options.config))
      return { kind, paths: paths[kind], seen: undefined, inUse }
    })
  const check = makeWatch(options, failures)
  let isDemanded = false
  let checking: Promise<void> | undefined

  const checkAll = async (): Promise<void> => {
    const demanded = isDemanded
    isDemanded = false
    for (const one of watched) await check(one, demanded)
    // A reload was demanded during the check: some files may have been read before that.
    if (isDemanded) await checkAll()
  }

  const begin = (): void => {
    checking ??= checkAll()
      .catch((err: unknown) => options.logger.error({ err }, 'files could not be looked at'))
      .finally(() => {
        checking = undefined
      })
  }

  // Not watched: no watcher sees a link that is replaced, on every system and file system.
  const timer = setInterval(begin, options.timing.reloadPollMs).unref()
  return {
    failures: () => ({ ...failures }),
    demand: () => {
      isDemanded = true
      begin()
    },
    stop: () => clearInterval(timer),
  }
}
