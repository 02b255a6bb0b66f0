// Verifiers that follow the revocation feed: their reports are taken, and operators see who holds what.
import { type Administrator, type ApiKeyCaller, audiencesOf } from '../../domain/caller.ts'
import type { Holding, PositionReport, StandingVerifier } from '../../domain/clients/verifier.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ListPage, type PagingRequest, readKeyedPage } from '../reading/read-page.ts'

/** Takes the report of a follower. The store gets the position a moment later, and the uses a second later. */
export const reportPosition = (
  { verifiers, usage }: Pick<Ports, 'verifiers' | 'usage'>,
  caller: ApiKeyCaller,
  report: Omit<PositionReport, 'apiKeyId'>,
): void => {
  const own = { ...report, apiKeyId: caller.id }
  verifiers.report(own)
  usage.countReported(own)
}

/** A key limited to audiences sees the verifiers that use the key itself, and of others not even how many there are. */
const ownKeyOf = (caller: Administrator): string | null =>
  caller.kind === 'api_key' && audiencesOf(caller) !== null ? caller.id : null

/** Returns one page of the verifiers, by API key and name. */
export const listVerifiers = (
  ports: Pick<Ports, 'verifiers' | 'secrets'>,
  caller: Administrator,
  { limit, cursor }: PagingRequest,
): Promise<OrRefusal<ListPage<StandingVerifier>>> => {
  const apiKeyId = ownKeyOf(caller)
  const request = { limit, cursor, filters: { apiKeyId } }
  return readKeyedPage(ports, 'verifiers', request, async ({ after }) => {
    const found = await ports.verifiers.list({ apiKeyId, after, limit: limit + 1 })
    const records = found.slice(0, limit)
    const last = records.at(-1)?.verifier
    return { records, next: found.length > limit && last !== undefined ? last.apiKeyId + last.name : null }
  })
}

/** Which verifiers hold what is at this position of the feed, as far as the caller may know. */
export const readHolding = (
  { verifiers }: Pick<Ports, 'verifiers'>,
  caller: Administrator,
  position: number | null,
): Promise<Holding> => verifiers.holding({ apiKeyId: ownKeyOf(caller), position })

/** Reads the holding of an act that was just done: it is reported even where this cannot be read. */
export const readHoldingIfPossible = async (
  ports: Pick<Ports, 'verifiers'>,
  caller: Administrator,
  position: number | null,
): Promise<Holding | null> => {
  try {
    return await readHolding(ports, caller, position)
  } catch (fault) {
    if (fault instanceof Unavailable) return null
    throw fault
  }
}
