// Decides what becomes of the clients of another server, as far as that needs no store.
import type { ForeignClient } from './foreign-client.ts'
import { type ImportPlan, type ImportSettings, planImport } from './import-plan.ts'
import type { ImportReason } from './import-reason.ts'

/** A client that may become an agent, with what its document says of its secret. */
export type PlannedClient = Pick<ForeignClient, 'secret' | 'secretExpiresAt' | 'isDisabled'> & {
  readonly plan: ImportPlan
}

export type DecidedClient = PlannedClient | { readonly clientId: string; readonly reason: ImportReason }

/** The longest id that is shown of a client that is not imported; the id itself may be as long as its document. */
const CLIENT_ID_CHARACTERS_MAX = 255

const reject = (clientId: string, reason: ImportReason): DecidedClient => ({
  clientId: clientId.slice(0, CLIENT_ID_CHARACTERS_MAX),
  reason,
})

/** The plan of each client, or why it is passed over or refused; in their order. */
export const planClients = (clients: readonly ForeignClient[], settings: ImportSettings): readonly DecidedClient[] => {
  const seen = new Set<string>()
  return clients.map((client): DecidedClient => {
    const { clientId, secret, secretExpiresAt, isDisabled } = client
    const plan = planImport(client, settings)
    if (typeof plan === 'string') return reject(clientId, plan)
    if (seen.has(clientId)) return reject(clientId, 'client_id_repeated')
    seen.add(clientId)
    return { plan, secret, secretExpiresAt, isDisabled }
  })
}
