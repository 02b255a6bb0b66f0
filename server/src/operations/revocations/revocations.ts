// Revocations of many tokens, the kill switch: made, counted without ending anything, and shown.
import { hasResource } from '../../../../api/values/audience.ts'
import { ACCESS } from '../../../../api/values/access.ts'
import type { BULK_REVOCATION_REASONS } from '../../../../api/values/reason.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import { actBy, type Administrator, audiencesOf, type Origin } from '../../domain/caller.ts'
import { isExisting, refuseRepeat } from '../../domain/idempotency.ts'
import type {
  Revocation,
  RevocationConditions,
  RevocationObstacle,
  RevocationDryRun,
} from '../../domain/ledger/revocation.ts'
import { formatPlan, PLAN_SECONDS_MAX, readPlan, type RevocationPlan } from '../../domain/ledger/plan.ts'
import { kindsNamedTo } from '../../domain/lists/names.ts'
import { isRefused, type OrRefusal, type Refusal, refuse } from '../../domain/refusal.ts'
import { describeTooMany, mayKnowSelection, refuseSelection } from '../agents/selection.ts'
import { hideAncestors, isFor } from '../tokens/hide-lineage.ts'
import { showToken } from '../tokens/read-tokens.ts'
import type { Ports } from '../../ports/ports.ts'
import type { RevocationMade } from '../../ports/revocations.ts'

export type RevocationRequest = {
  /** A UUID that the caller chose, by which a repeat is recognized; null: one is made. */
  readonly id: string | null
  /** The conditions that select tokens; without any, every token is selected. */
  readonly conditions: RevocationConditions
  readonly reason: (typeof BULK_REVOCATION_REASONS)[number]
  readonly note: string | null
  /** What a dry run answered, and by how many tokens the revocation may outgrow it; null: no plan. */
  readonly plan?: { readonly id: string; readonly extraMax: number } | null
}

/** What was counted, and the plan by which it may be ended. */
export type PlannedRevocation = RevocationDryRun & { readonly planId: string }

type PlanPorts = Pick<Ports, 'planSigning'> & { readonly profile: { readonly issuer: string } }

const PLAN_OBSTACLES = {
  not_ours:
    'plan_id is no plan of this service, or of before its key-encryption key was changed: make another dry run.',
  other_caller: 'plan_id is the plan of another caller: make a dry run of your own.',
  other_conditions: 'plan_id is the plan of other conditions: make a dry run with these.',
} as const

const readPlanOf = (
  { planSigning, profile: { issuer } }: PlanPorts,
  caller: Administrator,
  { conditions, plan = null }: Pick<RevocationRequest, 'conditions' | 'plan'>,
): OrRefusal<{ readonly plan?: RevocationPlan }> => {
  if (plan === null) return {}
  const read = readPlan(planSigning, { issuer, caller, conditions }, plan.id)
  if (typeof read === 'string') return refuse('invalid_request', PLAN_OBSTACLES[read])
  return { plan: { ...read, extraMax: plan.extraMax } }
}

const isWithinReach = (caller: Administrator, { audience }: RevocationConditions): boolean => {
  const audiences = audiencesOf(caller)
  return audiences === null || (audience !== null && hasResource(audiences, audience))
}

const refuseReach = () =>
  refuse('insufficient_scope', 'This API key is limited to audiences: it must name one of them as audience.')

// An operator who ends tokens need not be allowed to stop agents.
const mayDisable = (caller: Administrator): boolean =>
  caller.kind !== 'api_key' || caller.permissions.includes(ACCESS.stopAgents.permission)

const refuseDisabling = () =>
  refuse('insufficient_scope', `This API key lacks the permission ${ACCESS.stopAgents.permission}.`)

const SELECTION = 'owner, labels'

const OBSTACLES: Readonly<Record<RevocationObstacle, Refusal>> = {
  unknown_agent: { code: 'invalid_request', description: 'agent_id: no agent has this id.' },
  unknown_credential: { code: 'invalid_request', description: 'credential_id: no credential has this id.' },
  unknown_key: { code: 'invalid_request', description: 'kid: no signing key of this service has it.' },
  unknown_token: { code: 'invalid_request', description: 'lineage: no token has this id, or none that is kept.' },
  unknown_issuer: {
    code: 'invalid_request',
    description: 'No trusted issuer has this alias; GET /api/v1/issuers lists them.',
  },
  no_issuer_fits: {
    code: 'invalid_request',
    description:
      'subject: no trusted issuer calls itself iss, or the one that does names its subjects by oid: name the subject as ALIAS:SUB.',
  },
  several_issuers_fit: {
    code: 'invalid_request',
    description: 'subject: several trusted issuers call themselves iss; name the subject as ALIAS:SUB of one of them.',
  },
  no_agent_selected: {
    code: 'invalid_request',
    description: 'owner, labels: no agent has this owner and these labels.',
  },
  too_many_agents: {
    code: 'invalid_request',
    description: describeTooMany(SELECTION),
  },
  issued_before_in_future: {
    code: 'invalid_request',
    description: 'issued_before is in the future: a revocation ends no token that is yet to be issued.',
  },
  plan_expired: {
    code: 'plan_outdated',
    description: `The plan is older than ${PLAN_SECONDS_MAX} s: make another dry run.`,
  },
  plan_outdated: {
    code: 'plan_outdated',
    description: 'More or other tokens would end than the plan has: make another dry run. Nothing was ended.',
  },
  other_conditions: {
    code: 'already_exists',
    description: 'A revocation with this id and other conditions was made before; choose another id.',
  },
}

type TokenPorts = Pick<Ports, 'ledger'>

/** Whether the caller may know of this token; always where their key is not limited. */
const isKnownTo = async (ports: TokenPorts, caller: Administrator, tokenId: string | null): Promise<boolean> =>
  tokenId === null || audiencesOf(caller) === null || !isRefused(await showToken(ports, caller, tokenId))

const check = async (
  ports: TokenPorts,
  caller: Administrator,
  conditions: RevocationConditions,
): Promise<OrRefusal<object>> => {
  if (!isWithinReach(caller, conditions)) return refuseReach()
  const { selection = null, subject = null } = conditions
  if (selection !== null && !mayKnowSelection(caller)) return refuseSelection(SELECTION)
  // Which issuers are trusted is of the whole service as well.
  if (typeof subject === 'object' && subject !== null && !mayKnowSelection(caller)) return refuseSelection('iss_sub')
  if (selection?.disable === true && !mayDisable(caller)) return refuseDisabling()
  return (await isKnownTo(ports, caller, conditions.lineage)) ? {} : { refusal: OBSTACLES.unknown_token }
}

/** The revocation without the agents that it selected and without the id of its root, where the caller may not know of these. */
const hideUnknown = async (ports: TokenPorts, caller: Administrator, revocation: Revocation): Promise<Revocation> => {
  const { conditions } = revocation
  const shown = mayKnowSelection(caller)
    ? revocation
    : { ...revocation, agents: null, conditions: { ...conditions, selection: null } }
  if (await isKnownTo(ports, caller, conditions.lineage)) return shown
  return { ...shown, conditions: { ...shown.conditions, lineage: null } }
}

/**
 * The revocation, made now or, where its id and conditions are those of an earlier one, as that one stands. After its
 * answer no process reports a token that it covers active, however many they are; their records follow.
 */
export const createRevocation = async (
  ports: Pick<Ports, 'ledger' | 'revocations' | 'randomness'> & PlanPorts,
  origin: Origin,
  request: RevocationRequest,
): Promise<OrRefusal<RevocationMade>> => {
  const { id, conditions, reason, note } = request
  const checked = await check(ports, origin.caller, conditions)
  if (isRefused(checked)) return checked
  const planned = readPlanOf(ports, origin.caller, request)
  if (isRefused(planned)) return planned
  const revocation = { id: id ?? ports.randomness.uuid(), conditions, reason, ...planned }
  const made = await ports.revocations.create(revocation, actBy(origin, 'revocation.create', note))
  if (typeof made === 'string') return { refusal: OBSTACLES[made] }
  if (isExisting(made)) return refuseRepeat(made)
  return { ...made, revocation: await hideUnknown(ports, origin.caller, made.revocation) }
}

/** How many tokens a revocation would end now, exact up to COUNT_EXACT_MAX. What is refused here would be refused there. */
export const dryRunRevocation = async (
  ports: Pick<Ports, 'ledger' | 'revocations'> & PlanPorts,
  caller: Administrator,
  { conditions }: Pick<RevocationRequest, 'conditions'>,
): Promise<OrRefusal<PlannedRevocation>> => {
  const checked = await check(ports, caller, conditions)
  if (isRefused(checked)) return checked
  const dryRun = await ports.revocations.dryRun(conditions, kindsNamedTo(caller))
  if (typeof dryRun === 'string') return { refusal: OBSTACLES[dryRun] }
  const audiences = audiencesOf(caller)
  // What descends from the covered tokens is counted, but may be for other audiences.
  const seen = dryRun.sample.filter(record => isFor(record, audiences))
  const { issuer } = ports.profile
  const planId = formatPlan(ports.planSigning, { issuer, caller, conditions }, dryRun)
  return { ...dryRun, planId, sample: seen.map(record => hideAncestors(record, audiences)) }
}

/** The revocation with this id. One that reached beyond the caller's audiences does not exist for them. */
export const showRevocation = async (
  ports: Pick<Ports, 'ledger' | 'revocations'>,
  caller: Administrator,
  id: string,
): Promise<OrRefusal<Revocation>> => {
  const revocation = isUuid(id) ? await ports.revocations.show(id) : undefined
  return revocation !== undefined && isWithinReach(caller, revocation.conditions)
    ? hideUnknown(ports, caller, revocation)
    : refuse('not_found', 'No revocation has this id, or none that is kept.')
}
