// Checks that each identity provider can be reached, names itself as it is configured, and publishes a key that is of use.
import { openKeySets, verifiersOf } from '../verification.ts'
import { fail, type Finding, good } from '../../domain/checkup.ts'
import type { ProviderState } from '../../ports/key-sets.ts'
import { timingOf } from '../timing.ts'
import { notChecked, type Subject } from './subject.ts'

const judge = (state: ProviderState, setting: string | undefined): Finding => {
  const { issuer } = state
  if (state.status === 'ok') return good(`The keys of ${issuer} can be read, and one is usable.`)
  return fail({
    what: `The keys of the identity provider ${issuer} cannot be read: ${state.detail}. None of its operators can be recognized.`,
    remedy: `Look at ${setting ?? 'its issuer'}; docs/operating/identity-providers.md lists what to check for each cause.`,
  })
}

export const checkProviders = async ({ survey: { settings } }: Subject): Promise<readonly Finding[]> => {
  const { identityProviders, baseUrl } = settings
  const issuers = new Set(identityProviders.map(({ issuer }) => issuer))
  const isUsable = issuers.size === identityProviders.length && issuers.size > 0 && !issuers.has(baseUrl ?? '')
  if (!isUsable)
    return notChecked('the identity providers are not configured', 'Correct what `configuration` says of them.')
  const keySets = await openKeySets(settings, { timing: timingOf() })
  const { operators } = await verifiersOf(
    { identityProviders, baseUrl: baseUrl ?? '' },
    { keySets, timing: timingOf() },
  )
  const states = await operators.check()
  return states.map(state => judge(state, identityProviders.find(({ issuer }) => issuer === state.issuer)?.setting))
}
