// Wires the sign-in of operators, where the console has a client at an identity provider.
import type { ServiceConfig } from '../config/config.ts'
import type { FinishedSignIns } from '../keys/providers/finished-sign-ins.ts'
import { makeSignIn } from '../keys/providers/sign-in.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { SignIn } from '../ports/sessions.ts'
import type { Timing } from '../ports/timing.ts'
import type { Clocks } from '../store/clocks.ts'
import { keyOf } from './keys.ts'

type Parts = {
  readonly clock: Clocks
  readonly timing: Timing
  readonly metrics: Metrics
  readonly finished: FinishedSignIns
}

/** Returns null if the console has no client: then no operator can sign in. */
export const signInOf = (config: ServiceConfig, { clock, ...parts }: Parts): SignIn | null => {
  const { console: client, baseUrl } = config
  if (client === null) return null
  const callback = `${baseUrl}/console/callback`
  return makeSignIn({ client, callback, keyEncryptionKey: keyOf(config), now: clock.wall, ...parts })
}
