// Checks of the configuration itself: its mistakes, what it warns of, the proxies that it trusts, and the program's versions.
import packageJson from '../../../package.json' with { type: 'json' }
import { fail, type Finding, good, warn } from '../../domain/checkup.ts'
import { splitAdvice, type Subject } from './subject.ts'

export const checkConfiguration = ({ survey: { mistakes, warnings } }: Subject): readonly Finding[] => {
  const found = [
    ...mistakes.map(mistake => fail({ ...splitAdvice(mistake), brief: 'The configuration has mistakes.' })),
    ...warnings.map(warning =>
      warn({ ...splitAdvice(warning), brief: 'The configuration has a warning; the log of the start has it.' }),
    ),
  ]
  return found.length > 0 ? found : [good('Every setting can be read, and none is a mistake.')]
}

const numbersOf = (version: string): readonly [number, number] => {
  const [, major = '0', minor = '0'] = /^\D{0,4}(\d{1,4})\.(\d{1,4})/.exec(version) ?? []
  return [Number(major), Number(minor)]
}

/** `node` as process.versions has it. */
export const findNodeTooOld = (node: string, wanted = packageJson.engines.node): boolean => {
  const [[major, minor], [leastMajor, leastMinor]] = [numbersOf(node), numbersOf(wanted)]
  return major < leastMajor || (major === leastMajor && minor < leastMinor)
}

export const checkVersions = (): readonly Finding[] => {
  const { node } = process.versions
  const what = `Mintmark ${packageJson.version} runs on Node ${node}.`
  if (!findNodeTooOld(node)) return [good(what)]
  return [
    fail({
      what: `${what} That is older than ${packageJson.engines.node}.`,
      remedy: `Run it on Node ${packageJson.engines.node}.`,
      brief: 'Node is older than this version needs.',
    }),
  ]
}

const isEverybody = (network: string): boolean => /\/0+$/.test(network)

/** A base URL of https without a certificate here: a proxy ends TLS. */
const hasProxy = ({ survey: { settings, isTlsNamed } }: Subject): boolean =>
  settings.baseUrl?.startsWith('https:') === true && !isTlsNamed

export const checkTrustedProxies = (subject: Subject): readonly Finding[] => {
  const { trustedProxies } = subject.survey.settings
  const everybody = trustedProxies.filter(isEverybody)
  if (everybody.length > 0) {
    return [
      fail({
        what: `MINTMARK_TRUSTED_PROXIES contains ${everybody.join(', ')}: every caller is believed about its address and its client certificate.`,
        remedy: 'Name the addresses of your proxies only.',
        brief: 'Every caller is believed about its address.',
      }),
    ]
  }
  if (trustedProxies.length > 0) return [good(`Addresses that ${trustedProxies.join(', ')} forward are believed.`)]
  if (!hasProxy(subject)) return [good('No proxy is trusted, and none ends TLS.')]
  return [
    warn({
      what: 'A proxy ends TLS, and MINTMARK_TRUSTED_PROXIES is not set: limits and the audit log see the address of the proxy for every caller.',
      remedy:
        'Set MINTMARK_TRUSTED_PROXIES to the address of the proxy, and have it overwrite or append to X-Forwarded-For.',
      brief: 'A proxy ends TLS, and no proxy is trusted to name the addresses of callers.',
    }),
  ]
}

const NAMES = { tls: 'TLS', providers: 'The configuration file' } as const

export const checkReloadedFiles = ({ reloadFailures }: Subject): readonly Finding[] => {
  const failures = reloadFailures()
  const found = (['tls', 'providers'] as const).flatMap(kind => {
    const failure = failures[kind]
    if (failure === undefined) return []
    const what = `${NAMES[kind]}: files were changed and cannot be used, so the earlier content is in use: ${failure}`
    const brief = `${NAMES[kind]}: files were changed and cannot be used, so the earlier content is in use.`
    return [warn({ what, brief, remedy: 'Correct the files; they are read again within seconds, or at SIGHUP.' })]
  })
  return found.length > 0 ? found : [good('Certificates and identity providers are in use as their files have them.')]
}
