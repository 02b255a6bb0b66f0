// The client ids of agents at trusted issuers: of each, which agent's it is, so that no two agents are one client of an issuer.
import {
  addedEntries,
  type EntryObstacle,
  type IssuerClient,
  type IssuerEntries,
} from '../../domain/clients/issuer-entries.ts'
import { numberOfIssuer } from '../ledger/principals.ts'
import { first, run, type Program } from '../statement-program.ts'

type Numbered = { readonly n: number }
type Id = { readonly id: string }

const KEPT = 'select n from trusted_issuer where alias = ? and deleted_at is null'
const TAKEN = `select a.id from issuer_client c join agent a on a.n = c.agent
  where c.issuer = ? and c.client = ? and a.id <> ? and a.deleted_at is null`
const OF_AGENT = 'select id from agent where (id = ? or client_id = ?) and id <> ?'

function* obstacleToClient(
  issuer: number,
  { alias, client }: IssuerClient,
  agentId: string,
): Program<EntryObstacle | undefined> {
  const taken = yield* first<Id>(TAKEN, issuer, client, agentId)
  if (taken !== undefined) return { why: 'issuer_client_taken', alias, agentId: taken.id }
  const other = yield* first<Id>(OF_AGENT, client, client, agentId)
  return other === undefined ? undefined : { why: 'issuer_client_of_agent', alias, agentId: other.id }
}

/** What is in the way of the entries that the agent with this id gets, once the issuers with these aliases are there too. */
export function* obstacleToEntries(
  agentId: string,
  before: IssuerEntries,
  after: IssuerEntries,
  coming: readonly string[] = [],
): Program<EntryObstacle | undefined> {
  const { aliases, clients } = addedEntries(before, after)
  for (const alias of aliases) {
    const issuer = yield* first<Numbered>(KEPT, alias)
    if (issuer === undefined && coming.includes(alias)) continue
    if (issuer === undefined) return { why: 'issuer_unknown', alias }
    const added = clients.find(one => one.alias === alias)
    const obstacle = added === undefined ? undefined : yield* obstacleToClient(issuer.n, added, agentId)
    if (obstacle !== undefined) return obstacle
  }
  return undefined
}

const AT_ISSUER = `select 1 as found from issuer_client
  where client = ? and issuer in (select n from trusted_issuer where deleted_at is null)`

/** Whether an agent has the text as its client id at an issuer that is not deleted: ISSUERS_MAX look-ups at most. */
export function* isIssuerClient(client: string): Program<boolean> {
  return (yield* first(AT_ISSUER, client)) !== undefined
}

/** Those of an agent. */
export const dropIssuerClientsOf = (agent: number): Program<number> =>
  run('delete from issuer_client where agent = ?', agent)

// Over that of an agent which a program deleted that knew no such rows.
const KEEP = `insert into issuer_client (issuer, client, agent) values (?, ?, ?)
  on conflict (issuer, client) do update set agent = excluded.agent`

type IssuerClients = IssuerEntries['issuerClients']

/** Also those at issuers that are deleted, whose entries an agent may keep. */
export function* keepIssuerClients(agent: number, clients: IssuerClients): Program<void> {
  for (const [alias, client] of Object.entries(clients)) {
    const issuer = yield* numberOfIssuer(alias)
    if (issuer !== undefined) yield* run(KEEP, issuer, client, agent)
  }
}

/** The agent has these from now on, and no others. */
export function* replaceIssuerClients(agent: number, clients: IssuerClients): Program<void> {
  yield* dropIssuerClientsOf(agent)
  yield* keepIssuerClients(agent, clients)
}
