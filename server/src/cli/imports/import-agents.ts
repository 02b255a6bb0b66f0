// Sends the agents of a plan, some a request, and joins what became of each client in the order of its document.
import { importClients } from '../../../../api/imports.ts'
import { IMPORT_BYTES_MAX, IMPORTED_AGENTS_MAX } from '../../../../api/values/limits.ts'
import { formatScope } from '../../../../api/values/scope.ts'
import { formatTime, nearestInstant } from '../../../../api/values/time.ts'
import { atPlaces } from '../../domain/one-by-one.ts'
import { rejectedOutcome } from '../../domain/import/import-outcome.ts'
import type { DecidedClient, PlannedClient } from '../../domain/import/plan-clients.ts'
import type { Api } from '../remote/api.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { areRecords, type PrintedRecord } from '../terminal/print.ts'
import { untilSignal } from '../terminal/until-signal.ts'

// Divides what is sent or asked for among requests, each of which may hold only so much.

type PartMax = { readonly itemsMax: number; readonly weightMax: number }

/** The items in order, in parts of at most so many and of at most so much weight. An item that is heavier than that is a part by itself. */
const inParts = <Item>(
  items: readonly Item[],
  { itemsMax, weightMax }: PartMax,
  weigh: (item: Item) => number,
): readonly (readonly Item[])[] => {
  const parts: Item[][] = []
  let weight = 0
  for (const item of items) {
    const more = weigh(item)
    const last = parts.at(-1)
    if (last !== undefined && last.length < itemsMax && weight + more <= weightMax) {
      last.push(item)
      weight += more
    } else {
      parts.push([item])
      weight = more
    }
  }
  return parts
}

const NOTHING_LEFT_OUT = { scopes_left_out: [], audiences_left_out: [] } as const

const agentOf = ({ plan, secret, secretExpiresAt, isDisabled }: PlannedClient) => {
  const { name, description, owner, scopes, defaultScope, resources, lifetimeSeconds } = plan.settings
  return {
    client_id: plan.clientId,
    name,
    description,
    owner,
    scope: formatScope(scopes),
    default_scope: defaultScope === null ? null : formatScope(defaultScope),
    resources: [...resources],
    lifetime_seconds: lifetimeSeconds,
    disabled: isDisabled,
    client_secret: secret?.form === 'secret' ? secret.text : null,
    secret_hash: secret?.form === 'hash' ? secret.text : null,
    // Of a document, so any number.
    secret_expires_at:
      secret === null || secretExpiresAt === null ? null : formatTime(nearestInstant(Math.trunc(secretExpiresAt))),
  }
}

type Agent = ReturnType<typeof agentOf>

/** What stands around the agents of a request. */
const FRAME_BYTES = 100

const PART = { itemsMax: IMPORTED_AGENTS_MAX, weightMax: IMPORT_BYTES_MAX - FRAME_BYTES }

/** The agents in parts that a request may hold. */
const partsOf = (agents: readonly Agent[]): readonly (readonly Agent[])[] =>
  inParts(agents, PART, agent => Buffer.byteLength(JSON.stringify(agent)) + 1)

const importPart = async (
  api: Pick<Api, 'call'>,
  agents: readonly Agent[],
  isTrial: boolean,
): Promise<readonly PrintedRecord[]> => {
  const { data } = await api.call(importClients, { body: { dry_run: isTrial, agents: [...agents] } })
  if (areRecords(data) && data.length === agents.length) return data
  throw new CommandFailed(
    'The answer does not say what became of each client: is the URL that of a service of this version?',
  )
}

type Imported = {
  /** What became of each client, as far as the service said it. */
  readonly rows: readonly PrintedRecord[]
  /** Why it is not known of the rest; a command that is repeated goes on there. */
  readonly failure: Error | undefined
}

const joinRows = (clients: readonly DecidedClient[], answered: readonly PrintedRecord[]): readonly PrintedRecord[] => {
  const answers = atPlaces(clients, client => 'plan' in client, answered)
  return clients.flatMap((client, n): readonly PrintedRecord[] => {
    if ('reason' in client) return [{ ...rejectedOutcome(client.clientId, client.reason), ...NOTHING_LEFT_OUT }]
    const answer = answers[n]
    if (answer === undefined) return []
    const { scopesLeftOut, audiencesLeftOut } = client.plan
    const isImported = answer['outcome'] === 'imported'
    const leftOut = isImported
      ? { scopes_left_out: scopesLeftOut, audiences_left_out: audiencesLeftOut }
      : NOTHING_LEFT_OUT
    return [{ ...answer, ...leftOut }]
  })
}

/**
 * A failed request ends the import, and so does a signal, once the request under way is answered. The rows of the requests before
 * are returned: new secrets are in them, and are never shown again.
 */
export const importAgents = async (
  api: Pick<Api, 'call'>,
  clients: readonly DecidedClient[],
  isTrial: boolean,
): Promise<Imported> => {
  const agents = clients.flatMap(client => ('plan' in client ? [agentOf(client)] : []))
  const answered: PrintedRecord[] = []
  try {
    await untilSignal(async isToStop => {
      for (const part of partsOf(agents)) {
        if (isToStop()) throw new CommandFailed('A signal stopped the import between two requests.')
        answered.push(...(await importPart(api, part, isTrial)))
      }
    })
  } catch (fault) {
    if (answered.length === 0 || !(fault instanceof Error)) throw fault
    return { rows: joinRows(clients, answered), failure: fault }
  }
  return { rows: joinRows(clients, answered), failure: undefined }
}
