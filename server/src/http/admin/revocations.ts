// What the operations on revocations of many tokens do.
import type { BodyOf } from '../../../../api/operation.ts'
import * as api from '../../../../api/revocations.ts'
import { mergeLabels } from '../../../../api/values/labels.ts'
import type { Administrator, Origin } from '../../domain/caller.ts'
import { formatDryRun, formatRevocation } from '../../domain/ledger/format-revocation.ts'
import type { Holding } from '../../domain/clients/verifier.ts'
import type { AgentSelection } from '../../domain/ledger/selection.ts'
import type { NamedSubject, Revocation } from '../../domain/ledger/revocation.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import {
  createRevocation,
  type PlannedRevocation,
  dryRunRevocation,
  type RevocationRequest,
  showRevocation,
} from '../../operations/revocations/revocations.ts'
import { readHolding, readHoldingIfPossible } from '../../operations/verifiers/verifiers.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import type { RevocationMade } from '../../ports/revocations.ts'
import { bind } from './binding.ts'

type Body = BodyOf<typeof api.createRevocation>

const selectionOf = ({ owner, labels, disable_agents: disable = false }: Body): AgentSelection | null => {
  if (owner === undefined && labels === undefined) return null
  // The same labels in another order are the same.
  return { owner: owner ?? null, labels: labels === undefined ? null : mergeLabels({}, labels), disable }
}

const namedSubject = ({ subject }: Body): NamedSubject | null => {
  if (subject === undefined || typeof subject === 'string') return subject ?? null
  return { iss: subject.iss, sub: subject.sub }
}

const requestOf = (body: Body): RevocationRequest => ({
  id: body.id ?? null,
  conditions: {
    agentId: body.agent_id ?? null,
    credentialId: body.credential_id ?? null,
    scope: body.scope ?? null,
    audience: body.audience ?? null,
    kid: body.kid ?? null,
    issuedBefore: body.issued_before ?? null,
    lineage: body.lineage ?? null,
    subject: namedSubject(body),
    issuer: body.issuer ?? null,
    selection: selectionOf(body),
  },
  reason: body.reason,
  note: body.note ?? null,
  plan: body.plan_id === undefined ? null : { id: body.plan_id, extraMax: body.max_extra ?? 0 },
})

type Made = RevocationMade & { readonly verifiers: Holding | null }

type Found = Made | { readonly outcome: 'counted'; readonly dryRun: PlannedRevocation }

const make = async (ports: AdministrationPorts, origin: Origin, body: Body): Promise<OrRefusal<Made>> => {
  const made = await createRevocation(ports, origin, requestOf(body))
  if (isRefused(made)) return made
  const verifiers = await readHoldingIfPossible(ports, origin.caller, made.revocation.feedPosition)
  return { ...made, verifiers }
}

type Shown = { readonly revocation: Revocation; readonly verifiers: Holding }

const showOne = async (ports: AdministrationPorts, caller: Administrator, id: string): Promise<OrRefusal<Shown>> => {
  const revocation = await showRevocation(ports, caller, id)
  if (isRefused(revocation)) return revocation
  return { revocation, verifiers: await readHolding(ports, caller, revocation.feedPosition) }
}

const run = async (ports: AdministrationPorts, origin: Origin, body: Body): Promise<OrRefusal<Found>> => {
  if (body.dry_run !== true) return make(ports, origin, body)
  const dryRun = await dryRunRevocation(ports, origin.caller, requestOf(body))
  return isRefused(dryRun) ? dryRun : { outcome: 'counted', dryRun }
}

export const bindings = [
  bind(api.createRevocation, {
    run: (ports, origin, { body }) => run(ports, origin, body),
    answer: found =>
      found.outcome === 'counted' ? formatDryRun(found.dryRun) : formatRevocation(found.revocation, found.verifiers),
    status: ({ outcome }) => (outcome === 'created' ? 201 : 200),
    location: found => (found.outcome === 'created' ? `/api/v1/revocations/${found.revocation.id}` : null),
  }),
  bind(api.showRevocation, {
    run: (ports, { caller }, { path }) => showOne(ports, caller, path.id),
    answer: ({ revocation, verifiers }) => formatRevocation(revocation, verifiers),
  }),
]
