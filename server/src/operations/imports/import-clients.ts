// Takes over the clients of another server as agents, with their client ids and, where these are known, their secrets.
import { atPlaces } from '../../domain/one-by-one.ts'
import { type Agent, isClientId } from '../../domain/clients/agent.ts'
import { type AgentChange, type AgentSettings, applyChange, BLANK_SETTINGS } from '../../domain/clients/change-agent.ts'
import { refuseClaimNames } from '../../domain/clients/claim-names.ts'
import { refuseOperatorsAudience } from '../../domain/clients/issuer-entries.ts'
import { actBy, type Origin } from '../../domain/caller.ts'
import type { ForeignClient } from '../../domain/import/foreign-client.ts'
import type { ClientOutcome, ImportedSecret } from '../../domain/import/import-outcome.ts'
import { secretProblem } from '../../domain/import/import-plan.ts'
import type { ImportReason } from '../../domain/import/import-reason.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import { isName } from '../../../../api/values/name.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import type { ImportedAgent, ImportObstacle } from '../../ports/imports.ts'
import { refuseUnknownKey } from '../authentication/authenticate-administrator.ts'

type ImportPorts = Pick<
  AdministrationPorts,
  'importedSecrets' | 'imports' | 'operators' | 'profile' | 'randomness' | 'secrets'
>

export type WantedAgent = Pick<ForeignClient, 'clientId' | 'secret' | 'secretExpiresAt' | 'isDisabled'> & {
  readonly change: AgentChange
}

type Wanted = Omit<WantedAgent, 'change'> & { readonly settings: AgentSettings }

type Prepared = {
  readonly imported: ImportedAgent
  readonly secret: ImportedSecret
  readonly clientSecret: string | null
}

type Rejected = { readonly clientId: string; readonly reason: ImportReason }

type Credential = Pick<ImportedAgent['credential'], 'secretHash' | 'isImported' | 'foreignHash'>

const prepareSecret = (
  { secrets, importedSecrets }: ImportPorts,
  secret: ForeignClient['secret'],
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

const prepare = (ports: ImportPorts, { clientId, settings, isDisabled, ...wanted }: Wanted): Prepared => {
  const { secret, clientSecret, ...credential } = prepareSecret(ports, wanted.secret)
  const expiresAt = wanted.secret === null ? null : wanted.secretExpiresAt
  const { name, ...others } = settings
  const imported = {
    id: ports.randomness.uuid(),
    clientId,
    names: [name, clientId].filter(isName),
    ...others,
    isDisabled,
    credential: { id: ports.randomness.uuid(), ...credential, expiresAt },
  }
  return { imported, secret, clientSecret }
}

/** Adds the settings of a new agent; or returns why the first of them cannot be one. */
const settle = (
  { operators, profile }: ImportPorts,
  agents: readonly WantedAgent[],
): OrRefusal<{ readonly wanted: readonly Wanted[] }> => {
  const wanted: Wanted[] = []
  for (const [n, { change, ...one }] of agents.entries()) {
    const settings =
      refuseClaimNames(profile.claimNames, change) ??
      refuseOperatorsAudience(operators.audiences(), change) ??
      applyChange(BLANK_SETTINGS, change)
    if (isRefused(settings))
      return { refusal: { ...settings.refusal, description: `agents.${n}: ${settings.refusal.description}` } }
    wanted.push({ ...one, settings })
  }
  return { wanted }
}

const problemOf = (wanted: Wanted): ImportReason | undefined =>
  isClientId(wanted.clientId) ? secretProblem(wanted) : 'client_id_malformed'

const decide = (ports: ImportPorts, agents: readonly Wanted[]): readonly (Prepared | Rejected)[] => {
  const seen = new Set<string>()
  return agents.map(wanted => {
    const { clientId } = wanted
    const reason = problemOf(wanted) ?? (seen.has(clientId) ? 'client_id_repeated' : undefined)
    if (reason !== undefined) return { clientId, reason }
    seen.add(clientId)
    return prepare(ports, wanted)
  })
}

const outcomeOf = (
  { imported: { clientId }, secret, clientSecret }: Prepared,
  made: Agent | ImportObstacle | undefined,
  isTrial: boolean,
): ClientOutcome => {
  if (made === undefined) throw new Error('The store answered for fewer clients than it was given.')
  if (made === 'exists') return { clientId, outcome: 'exists' }
  if (typeof made === 'string') return { clientId, outcome: 'refused', reason: made }
  return { clientId, outcome: 'imported', agent: made, secret, clientSecret: isTrial ? null : clientSecret }
}

type Imports = { readonly agents: readonly WantedAgent[]; readonly isTrial: boolean }

/**
 * Imports each agent for itself, all in one transaction: done again it finds them there. One outcome an agent, in their
 * order. A trial returns the same outcomes and does nothing.
 */
export const importClients = async (
  ports: ImportPorts,
  origin: Origin,
  { agents, isTrial }: Imports,
): Promise<OrRefusal<{ readonly outcomes: readonly ClientOutcome[] }>> => {
  const settled = settle(ports, agents)
  if (isRefused(settled)) return settled
  const decided = decide(ports, settled.wanted)
  const prepared = decided.flatMap(one => ('reason' in one ? [] : [one]))
  const act = actBy(origin, 'agent.import')
  const made = await ports.imports.create(
    prepared.map(({ imported }) => imported),
    act,
    isTrial,
  )
  if (made === 'caller_ended') return refuseUnknownKey()
  const makings = atPlaces(decided, one => !('reason' in one), made)
  return {
    outcomes: decided.map((one, n) =>
      'reason' in one ? { ...one, outcome: 'refused' } : outcomeOf(one, makings[n], isTrial),
    ),
  }
}
