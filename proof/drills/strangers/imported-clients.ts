// Clients of another server, imported with the hashes of their secrets: the first right secret of each costs the service
// as much as a wrong one does.
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { hydraRow } from '../../../testkit/callers/foreign-exports.ts'
import type { AgentAccess } from '../requests.ts'
import { mintmark, type Variables } from '../service-under-drill.ts'

export type ImportedClient = AgentAccess

/** The secret of every imported client, and its bcrypt hash of 2^10 rounds. */
const SECRET = 'orders-service-secret-2019'
const HASH = '$2b$10$N9qo8uLOickgx2ZMRZoMyekIwqXL62qEl9V/2sSfHDsc3a3r7/WEi'

/** Imports so many, by the command. */
export const importClients = async (
  variables: Variables,
  folder: string,
  count: number,
): Promise<readonly ImportedClient[]> => {
  const clientIds = Array.from({ length: count }, (_, n) => `imported-${n + 1}`)
  const file = join(folder, 'hydra.json')
  writeFileSync(file, JSON.stringify(clientIds.map(id => hydraRow(id, { client_secret: HASH }))))
  const { data } = JSON.parse(await mintmark(variables, ['import', 'hydra', file, '--scope', 'db:read', '--json'])) as {
    readonly data: readonly { readonly outcome: string; readonly reason: string | null }[]
  }
  const refused = data.find(({ outcome }) => outcome !== 'imported')
  if (refused !== undefined) throw new Error(`A client was not imported: ${refused.reason}`)
  return clientIds.map(clientId => ({ clientId, clientSecret: SECRET }))
}
