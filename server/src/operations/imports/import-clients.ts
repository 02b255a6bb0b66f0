// Takes over the clients of another server as agents, with their client ids and, where the document holds them, their secrets.
import type { Agent } from '../../domain/clients/agent.ts'
import { actBy, type Origin } from '../../domain/caller.ts'
import type { ClientOutcome, ImportedSecret } from '../../domain/import/import-outcome.ts'
import { type ImportReason, isSkipped } from '../../domain/import/import-reason.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import type { ImportedAgent, ImportObstacle } from '../../ports/imports.ts'
import { refuseUnknownKey } from '../authentication/authenticate-administrator.ts'
import type { PlannedClient, PlannedImport } from './plan-clients.ts'

type ImportPorts = Pick<AdministrationPorts, 'importedSecrets' | 'imports' | 'randomness' | 'secrets'>

type Prepared = {
  readonly plan: PlannedClient['plan']
  readonly imported: ImportedAgent
  readonly secret: ImportedSecret
  readonly clientSecret: string | null
}

type Credential = Pick<ImportedAgent['credential'], 'secretHash' | 'isImported' | 'foreignHash'>

const prepareSecret = (
  { secrets, importedSecrets }: ImportPorts,
  { secret }: PlannedClient,
): Credential & Pick<Prepared, 'secret' | 'clientSecret'> => {
  if (secret === null) {
    const made = secrets.makeClientSecret()
    const secretHash = secrets.hash(made)
    return { secretHash, isImported: false, foreignHash: null, secret: 'new', clientSecret: made }
  }
  const kept = { isImported: true, clientSecret: null } as const
  return secret.form === 'hash'
    ? { ...kept, secretHash: '', foreignHash: secret.text, secret: 'converted_at_first_use' }
    : { ...kept, secretHash: importedSecrets.hash(secret.text), foreignHash: null, secret: 'kept' }
}

const prepare = (ports: ImportPorts, client: PlannedClient): Prepared => {
  const { plan } = client
  const { secret, clientSecret, ...credential } = prepareSecret(ports, client)
  const expiresAt = client.secret === null ? null : client.secretExpiresAt
  const imported = {
    id: ports.randomness.uuid(),
    clientId: plan.clientId,
    names: plan.names,
    ...plan.settings,
    isDisabled: client.isDisabled,
    credential: { id: ports.randomness.uuid(), ...credential, expiresAt },
  }
  return { plan, imported, secret, clientSecret }
}

const reject = (clientId: string, reason: ImportReason): ClientOutcome => ({
  clientId,
  outcome: isSkipped(reason) ? 'skipped' : 'refused',
  reason,
})

const outcomeOf = (
  { plan, secret, clientSecret }: Prepared,
  made: Agent | ImportObstacle | undefined,
  isTrial: boolean,
): ClientOutcome => {
  const { clientId } = plan
  if (made === undefined) throw new Error('The store answered for fewer clients than it was given.')
  if (made === 'exists') return { clientId, outcome: 'exists' }
  if (typeof made === 'string') return reject(clientId, made)
  return { clientId, outcome: 'imported', agent: made, secret, clientSecret: isTrial ? null : clientSecret, plan }
}

/**
 * Imports each client for itself, all in one transaction: done again it finds them there. One outcome a client, in the
 * order of the document. A trial returns the same outcomes and does nothing.
 */
export const importClients = async (
  ports: ImportPorts,
  origin: Origin,
  { clients, isTrial }: PlannedImport,
): Promise<OrRefusal<{ readonly outcomes: readonly ClientOutcome[] }>> => {
  const decided = clients.map(client => ('reason' in client ? client : prepare(ports, client)))
  const prepared = decided.flatMap(one => ('reason' in one ? [] : [one]))
  const act = actBy(origin, 'agent.import')
  const made = await ports.imports.create(
    prepared.map(({ imported }) => imported),
    act,
    isTrial,
  )
  if (made === 'caller_ended') return refuseUnknownKey()
  const makings = new Map(prepared.map((one, n) => [one, made[n]]))
  return {
    outcomes: decided.map(one =>
      'reason' in one ? reject(one.clientId, one.reason) : outcomeOf(one, makings.get(one), isTrial),
    ),
  }
}
