// The one table of checks. `mintmark doctor`, the start of `serve` and /readyz?verbose derive from it; docs/doctor.md describes
// each, and a test compares the two.
import type { CheckName } from '../../../../api/values/checks.ts'
import { type Finding, fail, good } from '../../domain/checkup.ts'
import { checkCertificate } from './certificate-check.ts'
import { checkConfiguration, checkReloadedFiles, checkTrustedProxies, checkVersions } from './configuration-checks.ts'
import { checkDiskSpace, checkOpenFiles, checkPrivateFiles } from './file-checks.ts'
import { checkService } from './service-checks.ts'
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

const judge = (state: ProviderState, setting: string | undefined): Finding => {
  const { issuer } = state
  if (state.status === 'ok') return good(`The keys of ${issuer} can be read, and one is usable.`)
  return fail({
    what: `The keys of the identity provider ${issuer} cannot be read: ${state.detail}. None of its operators can be recognized.`,
    remedy: `Look at ${setting ?? 'its issuer'}; docs/operating/identity-providers.md lists what to check for each cause.`,
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
   * `providers`, `service`: the network.
   */
  readonly needs: 'settings' | 'serving' | 'store' | 'providers' | 'service'
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
  { name: 'service', needs: 'service', isFast: false, run: checkService },
]
