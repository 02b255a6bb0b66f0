// What the operations on agents do.
import * as api from '../../../../api/agents.ts'
import { formatEnds } from '../../domain/ledger/ends.ts'
import { agentRecord, changeOf, delegationRecord } from '../../domain/clients/agent-record.ts'
import { changeAgent } from '../../operations/agents/change-agent.ts'
import { createAgent } from '../../operations/agents/create-agent.ts'
import { deleteAgent, disableAgent, enableAgent } from '../../operations/agents/agent-states.ts'
import { listAgents, showAgent, showDelegation } from '../../operations/agents/read-agents.ts'
import type { Switched } from '../../domain/clients/agent.ts'
import { bind, bindList, nameFiltersOf } from './binding.ts'

const switchedRecord = (agent: Switched) => ({ ...agentRecord(agent), changed: agent.changed })

export const bindings = [
  bind(api.createAgent, {
    run: (ports, origin, { body }) =>
      createAgent(ports, origin, { ...changeOf(body), name: body.name, scopes: body.scope }),
    answer: ({ agent, clientSecret }) => ({ ...agentRecord(agent), client_secret: clientSecret }),
    location: ({ agent }) => `/api/v1/agents/${agent.id}`,
  }),
  bindList(api.listAgents, {
    filtersOf: query => ({
      disabled: query.disabled ?? null,
      owner: query.owner ?? null,
      labels: query.label ?? [],
      grantType: query.grant_type ?? null,
      unusedSince: query.unused_since ?? null,
      expiresBefore: query.expires_before ?? null,
      idPrefix: query.id_prefix ?? null,
      ids: query.agent_id ?? [],
      clientIds: query.client_id ?? [],
      ...nameFiltersOf(query),
    }),
    list: listAgents,
    format: agentRecord,
  }),
  bind(api.showAgent, {
    run: (ports, { caller }, { path }) => showAgent(ports, caller, path.id),
    answer: agentRecord,
  }),
  bind(api.showDelegation, {
    run: (ports, { caller }, { path }) => showDelegation(ports, caller, path.id),
    answer: delegationRecord,
  }),
  bind(api.changeAgent, {
    run: (ports, origin, { path, body }) =>
      changeAgent(ports, origin, path.id, { change: changeOf(body), dryRun: body.dry_run ?? false }),
    answer: found => ('ends' in found ? formatEnds(found) : agentRecord(found)),
  }),
  bind(api.deleteAgent, {
    run: (ports, origin, { path, query }) =>
      deleteAgent(ports, origin, path.id, { note: query.note ?? null, dryRun: query.dry_run ?? false }),
    status: found => ('ends' in found ? 200 : 204),
    answer: found => ('ends' in found ? formatEnds(found) : undefined),
  }),
  bind(api.disableAgent, {
    run: (ports, origin, { path, body }) =>
      disableAgent(ports, origin, path.id, { note: body.note ?? null, dryRun: body.dry_run ?? false }),
    answer: found => ('ends' in found ? formatEnds(found) : switchedRecord(found)),
  }),
  bind(api.enableAgent, {
    run: (ports, origin, { path, body }) => enableAgent(ports, origin, path.id, body.note ?? null),
    answer: switchedRecord,
  }),
]
