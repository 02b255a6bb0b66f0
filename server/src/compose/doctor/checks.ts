// The one table of checks. `mintmark doctor`, the start of `serve` and /readyz?verbose derive from it; docs/run/doctor.md describes
// each, and a test compares the two.
import type { CheckName } from '../../../../api/values/checks.ts'
import { type Finding, fail, good, warn } from '../../domain/checkup.ts'
import { checkCertificate } from './certificate-check.ts'
import { checkConfiguration, checkReloadedFiles, checkTrustedProxies, checkVersions } from './configuration-checks.ts'
import { checkTrustedIssuers } from './issuer-checks.ts'
import { checkDiskSpace, checkOpenFiles, checkPrivateFiles } from './file-checks.ts'
import {
  checkClock,
  checkCollation,
  checkKeyEncryptionKey,
  checkSchema,
  checkStore,
  checkSuspensions,
} from './store-checks.ts'
import { type Subject, notChecked } from './subject.ts'
import { openKeySets, foreignJwtsOf } from '../verification.ts'
import type { ProviderState } from '../../ports/key-sets.ts'
import { timingOf } from '../timing.ts'
import { type BadComponent, isRecord, type ServiceSeen } from './service-seen.ts'

// Checks the running service from outside: that its address leads to it, and what it says of itself.

const TLS_REMEDY =
  'Correct the certificate that is served there, or name your own authority in NODE_EXTRA_CA_CERTS for this command.'

/** Why the address does not lead to the service; undefined where it does. */
const judgeAddress = ({ url, isNamed, metadata }: ServiceSeen): Finding | undefined => {
  if ('unreached' in metadata) {
    const what = `No service can be reached at ${url}: ${metadata.unreached}.`
    if (metadata.isTls) return fail({ what, remedy: TLS_REMEDY })
    const remedy = 'Start it with `mintmark serve`; if it runs, look at the name, the proxy and the firewall between.'
    return isNamed ? fail({ what, remedy }) : warn({ what, remedy })
  }
  const issuer = isRecord(metadata.json) ? metadata.json['issuer'] : undefined
  if (metadata.status === 200 && issuer === url) return undefined
  const remedy = 'Correct MINTMARK_BASE_URL, or the proxy: every path below the base URL must reach the service.'
  if (typeof issuer === 'string') {
    return fail({ what: `The service at ${url} has the base URL ${JSON.stringify(issuer)}.`, remedy })
  }
  return fail({ what: `What answers at ${url} is not Mintmark (status ${metadata.status} for its metadata).`, remedy })
}

const judgeComponent = ({ name, status, reason }: BadComponent): Finding => {
  const what = `The service reports ${name}: ${status}. ${reason}`.trim()
  const remedy = 'Look at its log, and run this command on its machine.'
  return status === 'unavailable' && name === 'store' ? fail({ what, remedy }) : warn({ what, remedy })
}

const checkService = async (subject: Subject): Promise<readonly Finding[]> => {
  const service = await subject.service()
  const wrong = judgeAddress(service)
  if (wrong !== undefined) return [wrong]
  const { url, components } = service
  if (components === undefined) return [good(`The service answers at ${url}; its /readyz is not reachable there.`)]
  const bad = components.map(judgeComponent)
  return bad.length > 0 ? bad : [good(`The service answers at ${url}, and all of its components are ok.`)]
}

// Checks that each identity provider can be reached, names itself as it is configured, and publishes a key that is of use.

const judge = (state: ProviderState, setting: string | undefined): Finding => {
  const { issuer } = state
  if (state.status === 'ok') return good(`The keys of ${issuer} can be read, and one is usable.`)
  return fail({
    what: `The keys of the identity provider ${issuer} cannot be read: ${state.detail}. None of its operators can be recognized.`,
    remedy: `Look at ${setting ?? 'its issuer'}; docs/run/operators-sign-in.md lists what to check for each cause.`,
  })
}

const checkProviders = async ({ survey: { settings } }: Subject): Promise<readonly Finding[]> => {
  const { identityProviders, baseUrl } = settings
  const issuers = new Set(identityProviders.map(({ issuer }) => issuer))
  const isUsable = issuers.size === identityProviders.length && issuers.size > 0 && !issuers.has(baseUrl ?? '')
  if (!isUsable)
    return notChecked('the identity providers are not configured', 'Correct what `configuration` says of them.')
  const keySets = await openKeySets(settings, { timing: timingOf() })
  const { operators } = await foreignJwtsOf(
    { identityProviders, baseUrl: baseUrl ?? '' },
    { keySets, timing: timingOf() },
  )
  const states = await operators.check()
  return states.map(state => judge(state, identityProviders.find(({ issuer }) => issuer === state.issuer)?.setting))
}

export type Check = {
  readonly name: CheckName
  /**
   * `settings`: nothing but this machine. `serving`: a service in this process. `store`: the file or the database.
   * `providers`, `service`: the network. `issuers`: the store, and the network.
   */
  readonly needs: 'settings' | 'serving' | 'store' | 'providers' | 'issuers' | 'service'
  /** Whether `serve` makes it, at its start and once a minute: it needs no network and no store. */
  readonly isFast: boolean
  readonly run: (subject: Subject) => readonly Finding[] | Promise<readonly Finding[]>
}

export const CHECKS: readonly Check[] = [
  { name: 'configuration', needs: 'settings', isFast: true, run: checkConfiguration },
  { name: 'versions', needs: 'settings', isFast: true, run: checkVersions },
  { name: 'private_files', needs: 'settings', isFast: true, run: checkPrivateFiles },
  { name: 'disk_space', needs: 'settings', isFast: true, run: checkDiskSpace },
  { name: 'open_files', needs: 'settings', isFast: true, run: checkOpenFiles },
  { name: 'tls_certificate', needs: 'settings', isFast: true, run: checkCertificate },
  { name: 'reloaded_files', needs: 'serving', isFast: true, run: checkReloadedFiles },
  { name: 'trusted_proxies', needs: 'settings', isFast: true, run: checkTrustedProxies },
  { name: 'store', needs: 'store', isFast: false, run: checkStore },
  { name: 'schema', needs: 'store', isFast: false, run: checkSchema },
  { name: 'collation', needs: 'store', isFast: false, run: checkCollation },
  { name: 'clock', needs: 'store', isFast: false, run: checkClock },
  { name: 'key_encryption_key', needs: 'store', isFast: false, run: checkKeyEncryptionKey },
  { name: 'suspensions', needs: 'store', isFast: false, run: checkSuspensions },
  { name: 'identity_providers', needs: 'providers', isFast: false, run: checkProviders },
  { name: 'trusted_issuers', needs: 'issuers', isFast: false, run: checkTrustedIssuers },
  { name: 'service', needs: 'service', isFast: false, run: checkService },
]
