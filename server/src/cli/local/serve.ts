// mintmark serve
import { type Command, Help } from 'commander'
import { openService } from '../../compose/compose.ts'
import { logWarnings, makeLogger } from '../../compose/log.ts'
import { timingOf } from '../../compose/timing.ts'
import { showCertificate } from '../../compose/client-certificates.ts'
import { placeOf } from '../../config/addresses.ts'
import { readServeConfig, type ServeConfig } from '../../config/config.ts'
import { isAnySuspended, type RestoreState } from '../../domain/restore.ts'
import { makeServing } from '../../serving/serving-threads.ts'
import { checkIssuers, checkProviders, watchInstallation } from '../../serving/watch-installation.ts'
import { closeAtSignal } from './close-at-signal.ts'
import { completeLocal } from './local-only.ts'
import { printLine } from '../terminal/print.ts'
import { reportRestore, formatSuspended } from './show-restore.ts'
import { describeDefault, describeValues } from '../../config/settings/setting-entry.ts'
import { plainMeaning, settingEntries } from '../../config/settings/settings.ts'

// The variables of `mintmark serve`, as its help lists them.

/** Characters in a line of a terminal that nobody widened, without the indentation. */
const WIDTH = 74

const wrapper = new Help()

const indented = (text: string): readonly string[] =>
  text === ''
    ? []
    : wrapper
        .boxWrap(text.replaceAll('`', ''), WIDTH)
        .split('\n')
        .map(line => `      ${line}`)

const formatVariables = (): string => {
  const lines = settingEntries().flatMap(([name, entry]) => [
    `  ${name}${entry.hasFile === true ? `, or ${name}_FILE` : ''}`,
    ...indented(plainMeaning(entry)),
    ...indented([describeValues(entry), `default: ${describeDefault(entry)}`].filter(part => part !== '').join('; ')),
  ])
  return ['', 'Variables:', ...lines].join('\n')
}

const announce = (config: ServeConfig): void => {
  printLine(
    `Mintmark serves ${config.baseUrl} on ${placeOf(config)}${config.tls === null ? '' : ' with TLS'}, workers: ${config.workers}.`,
  )
  if (config.isDefaultAudienceAssumed) {
    printLine(
      `Tokens asked for without a resource are for ${config.defaultAudience}; MINTMARK_DEFAULT_AUDIENCE sets another audience.`,
    )
  }
}

const announceSuspended = (state: RestoreState): void =>
  printLine(
    `${reportRestore(state)} ${formatSuspended(state.suspended)} are suspended until \`mintmark restore accept\`.`,
  )

const run = async (): Promise<void> => {
  const config = await readServeConfig()
  const timing = timingOf(config)
  const logger = await makeLogger(config)
  logWarnings(logger)
  const service = await openService(config, { timing, logger })
  let restored: RestoreState | undefined
  try {
    restored = await service.restoreState()
    const { ports, report, metrics } = service
    showCertificate(metrics.main, config.tls)
    await metrics.serve(fault => report('scrape', fault), logger)
    const { notices, check, reload, stop } = watchInstallation({ config, service, logger, timing })
    const threads = makeServing({ config, timing, service, logger, notices })
    // Before the first thread listens: by then a signal must not end the process as it stands.
    closeAtSignal({ timing, report, logger, onHangUp: reload }, async () => {
      stop()
      await threads.close()
      await service.close()
    })
    if (!(await threads.start())) return
    await check()
    void checkProviders({ operators: ports.operators, identityProviders: config.identityProviders, logger })
    void checkIssuers(ports, logger)
  } catch (error) {
    await service.close()
    throw error
  }
  announce(config)
  if (restored !== undefined && isAnySuspended(restored.suspended)) announceSuspended(restored)
}

export const addServe = (program: Command): void => {
  const command = program
    .command('serve')
    .description('run the service for production, configured by the variables below')
    .addHelpText('after', formatVariables)
  completeLocal(command, 'mintmark serve').action(run)
}
