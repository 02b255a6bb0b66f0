// In this folder: the threads of `mintmark serve`: the main thread starts and replaces serving threads, and reloads files for them.
// At the start of `serve`: logs which identity providers' keys cannot be read, before an operator needs one.
import type { Logger } from 'pino'
import type { IdentityProviderConfig } from '../config/provider.ts'
import type { Operators } from '../ports/key-sets.ts'

type Checked = {
  readonly operators: Pick<Operators, 'check'>
  readonly identityProviders: readonly Pick<IdentityProviderConfig, 'issuer' | 'setting'>[]
  readonly logger: Pick<Logger, 'warn' | 'error'>
}

/** Runs in the background and never stops the start: a provider may be back when it is needed. */
export const checkProviders = async ({ operators, identityProviders, logger }: Checked): Promise<void> => {
  try {
    for (const state of await operators.check()) {
      if (state.status === 'ok') continue
      const { issuer, cause, detail: reason } = state
      const setting = identityProviders.find(provider => provider.issuer === issuer)?.setting
      logger.warn(
        { event: 'provider_unavailable', issuer, reason, setting },
        `The keys of the identity provider ${issuer} cannot be read: ${cause}. None of its operators can be recognized; look at ${setting}, and at GET /readyz?verbose.`,
      )
    }
  } catch (err) {
    logger.error({ err }, 'the identity providers could not be checked')
  }
}
