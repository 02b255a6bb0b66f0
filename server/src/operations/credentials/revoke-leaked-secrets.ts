// Revokes secrets that were found in the open, each that is ours with everything that it got.
import { actBy, type Origin } from '../../domain/caller.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import type { LeakedSecret } from '../../ports/secret-repositories.ts'

/** What the audit keeps of where one was found. */
const FOUND_AT_CHARACTERS_MAX = 1000

type FoundSecret = {
  readonly secret: string
  /** Where it was found; null where that is not told. */
  readonly foundAt: string | null
}

/** `unknown`: not a secret of this service. */
export type LeakAnswer = LeakedSecret | 'unknown'

// So many are handed to the store at once, each in time before its deadline.
const AT_ONCE = 50

// An address may carry the secret itself.
const SECRET_IN_TEXT = /mm[ac]_[0-9A-Za-z]+/g

const withoutSecrets = (foundAt: string | null): string | null =>
  foundAt === null ? null : foundAt.replaceAll(SECRET_IN_TEXT, '[secret]').slice(0, FOUND_AT_CHARACTERS_MAX)

type LeakPorts = Pick<Ports, 'leakedSecrets' | 'secrets'>

const revokeOne = async (ports: LeakPorts, origin: Origin, { secret, foundAt }: FoundSecret): Promise<LeakAnswer> => {
  const kind = ports.secrets.kindOf(secret)
  if (kind === undefined) return 'unknown'
  const act = actBy(origin, kind === 'api_key' ? 'api_key.revoke' : 'credential.revoke')
  const found = await ports.leakedSecrets.revoke(kind, ports.secrets.hash(secret), act, withoutSecrets(foundAt))
  return found ?? 'unknown'
}

/** What each was, in order. Reporting one again is harmless. */
export const revokeLeakedSecrets = async (
  ports: LeakPorts,
  origin: Origin,
  found: readonly FoundSecret[],
): Promise<OrRefusal<{ readonly answers: readonly LeakAnswer[] }>> => {
  const answers: LeakAnswer[] = []
  for (let from = 0; from < found.length; from += AT_ONCE) {
    const some = found.slice(from, from + AT_ONCE)
    answers.push(...(await Promise.all(some.map(one => revokeOne(ports, origin, one)))))
  }
  return { answers }
}
