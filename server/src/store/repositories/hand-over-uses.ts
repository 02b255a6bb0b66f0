// A serving thread's side of when API keys were last used: never in the way of who uses them.
import type { ApiKey } from '../../domain/clients/api-key.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { inBackground, type OnFault } from '../background.ts'
import type { Writer } from '../jobs.ts'
import { LAST_USE_STEP_MS } from './last-uses.ts'

const CACHED_MAX = 10_000

/** Hands over which API keys are used, each at most once a minute. Nobody waits for it: what fails is a minute lost. */
export const recordUses = ({ call }: Writer, onFault: OnFault) => {
  const handedOver = new Map<string, Milliseconds>()
  return (apiKeys: readonly (ApiKey | undefined)[], now: Milliseconds): void => {
    const due = new Set<string>()
    for (const apiKey of apiKeys) {
      if (apiKey === undefined || now - (handedOver.get(apiKey.id) ?? 0) < LAST_USE_STEP_MS) continue
      if (handedOver.size >= CACHED_MAX) handedOver.clear()
      handedOver.set(apiKey.id, now)
      due.add(apiKey.id)
    }
    if (due.size > 0) void inBackground('last uses of API keys', () => call('noteApiKeyUses', [...due]), onFault)
  }
}
