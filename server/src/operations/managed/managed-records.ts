// Records that files declare: planned as the service sees them, and done as they were planned.
import { ACCESS } from '../../../../api/values/access.ts'
import { actBy, type Administrator, may, type Origin } from '../../domain/caller.ts'
import { LIFETIMES_MAX } from '../../domain/clients/agent.ts'
import { type AgentChange, applyChange, BLANK_SETTINGS } from '../../domain/clients/change-agent.ts'
import { refuseClaimNames } from '../../domain/clients/claim-names.ts'
import { CREDENTIALS_MAX } from '../../domain/clients/credential.ts'
import { refuseOperatorsAudience } from '../../domain/clients/issuer-entries.ts'
import {
  type CountedRecord,
  type ManagedTerms,
  managedByOf,
  type PlannedRecord,
  type Wanted,
  type WantedRecord,
} from '../../domain/clients/managed-record.ts'
import type { NewIssuer } from '../../domain/clients/trusted-issuer.ts'
import { refuseExpired } from '../../domain/ledger/expiry.ts'
import { type CountedPlan, formatPlan, readPlan } from '../../domain/ledger/plan.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { isRefused, type OrRefusal, type Refusal, refuse } from '../../domain/refusal.ts'
import type { Coming, ManagedRecord, RecordObstacle } from '../../ports/managed-records.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { refuseUnknownKey } from '../authentication/authenticate-administrator.ts'
import { checkTrust, refuseTaken, type TrustRequest } from '../credentials/credentials.ts'
import { checkIssuer, checkNewIssuer, refuseObstacle } from '../issuers/issuers.ts'
import { type ListPage, type ListRequest, readKeyedPage } from '../reading/read-page.ts'

/** A document of a file. What it leaves out of an agent is the default. */
export type DeclaredRecord =
  | {
      readonly kind: 'agent'
      readonly agentId: string | null
      readonly change: AgentChange & { readonly name: string }
    }
  | {
      readonly kind: 'credential'
      readonly agent: string
      readonly name: string
      readonly expiresAt: Milliseconds | null
      readonly trust: TrustRequest
    }
  | { readonly kind: 'issuer'; readonly issuer: NewIssuer }
  | Wanted<'removal'>

type Declared<Kind extends DeclaredRecord['kind']> = Extract<DeclaredRecord, { readonly kind: Kind }>

type RecordPorts = Pick<
  AdministrationPorts,
  | 'agents'
  | 'assertions'
  | 'certificates'
  | 'foreignIssuers'
  | 'issuers'
  | 'managed'
  | 'operators'
  | 'planSigning'
  | 'profile'
  | 'randomness'
>

type Read = OrRefusal<{ readonly wanted: WantedRecord }>

const readAgent = (
  { operators, profile, randomness }: RecordPorts,
  { kind, agentId, change }: Declared<'agent'>,
): Read => {
  const settings =
    refuseClaimNames(profile.claimNames, change) ??
    refuseOperatorsAudience(operators.audiences(), change) ??
    applyChange(BLANK_SETTINGS, change)
  return isRefused(settings) ? settings : { wanted: { kind, agentId, settings, newId: randomness.uuid() } }
}

const readCredential = (ports: RecordPorts, { trust: wanted, ...credential }: Declared<'credential'>): Read => {
  const checked = checkTrust(ports, wanted)
  if (isRefused(checked)) return checked
  return { wanted: { ...credential, trust: checked.trust, newId: ports.randomness.uuid() } }
}

/** Its metadata is asked for only where the caller may make it: who reads agents sends this service nowhere. */
const readIssuer = async (ports: RecordPorts, caller: Administrator, wanted: Declared<'issuer'>): Promise<Read> => {
  const check = may(caller, ACCESS.writeIssuers) ? checkNewIssuer : checkIssuer
  return (await check(ports, wanted.issuer)) ?? { wanted }
}

const read = async (ports: RecordPorts, caller: Administrator, record: DeclaredRecord): Promise<Read> => {
  if (record.kind === 'agent') return readAgent(ports, record)
  if (record.kind === 'credential') return readCredential(ports, record)
  return record.kind === 'issuer' ? readIssuer(ports, caller, record) : { wanted: record }
}

const OBSTACLES: Readonly<
  Record<Exclude<RecordObstacle['why'], 'refused' | 'not_managed' | 'workload_taken' | 'issuers_alike'>, Refusal>
> = {
  agent_unknown: { code: 'not_found', description: 'agent: no agent has this id or this name.' },
  alias_used: {
    code: 'already_exists',
    description: 'alias: it was that of a trusted issuer that is deleted, and none is given twice; choose another.',
  },
  expired: refuseExpired().refusal,
  fixed: {
    code: 'invalid_request',
    description: 'issuer, subject_claim and require never change: declare another issuer, with another alias.',
  },
  id_used: {
    code: 'already_exists',
    description:
      'agent_id: an agent has or had this id, perhaps one that is deleted, and none is given twice; choose another.',
  },
  lifetimes_full: {
    code: 'invalid_request',
    description: `lifetime_seconds: ${LIFETIMES_MAX} lifetimes are in use, the most there can be; choose one of these.`,
  },
  name_taken: { code: 'already_exists', description: 'name: another agent has it; choose another.' },
  too_many_credentials: {
    code: 'invalid_request',
    description: `The agent has ${CREDENTIALS_MAX} live credentials, the most there can be; revoke one first.`,
  },
  too_many_issuers: refuseObstacle('too_many', '').refusal,
}

const refusalOf = (found: RecordObstacle, record: DeclaredRecord): Refusal => {
  if (found.why === 'refused') return found.refusal
  if (found.why === 'workload_taken') return refuseTaken({ taken: found }).refusal
  if (found.why === 'issuers_alike') {
    return refuseObstacle({ taken: found.alias }, record.kind === 'issuer' ? record.issuer.alias : '').refusal
  }
  if (found.why !== 'not_managed') return OBSTACLES[found.why]
  const by = found.managedBy ?? 'no set of files'
  const advice = record.kind === 'removal' ? 'Nothing but its set removes it.' : 'Take it over with adopt (--adopt).'
  return { code: 'already_exists', description: `It is there, and managed by ${by}. ${advice}` }
}

type Terms = { readonly set: string; readonly adopt: boolean }

const termsOf = ({ profile }: RecordPorts, { set, adopt }: Terms): ManagedTerms => ({
  managedBy: managedByOf(set),
  adopt,
  serviceAudience: profile.defaultAudience,
})

/** What a plan is bound to, beside its caller. */
const boundTo = ({ profile }: RecordPorts, caller: Administrator, terms: Terms, record: DeclaredRecord) => ({
  issuer: profile.issuer,
  caller,
  conditions: { ...terms, record },
})

/** What would become of a record, or why nothing can. */
export type PlannedOrRefused =
  | { readonly planned: CountedRecord; readonly planId: string | null }
  | { readonly refusal: Refusal; readonly record: DeclaredRecord }

const isAgent = (record: DeclaredRecord): record is Declared<'agent'> => record.kind === 'agent'

type Planning = { readonly caller: Administrator; readonly terms: Terms; readonly coming: Coming }

const planOne = async (
  ports: RecordPorts,
  { caller, terms, coming }: Planning,
  record: DeclaredRecord,
): Promise<PlannedOrRefused> => {
  const wanted = await read(ports, caller, record)
  if (isRefused(wanted)) return { refusal: wanted.refusal, record }
  const planned = await ports.managed.plan(wanted.wanted, termsOf(ports, terms), coming)
  if ('why' in planned) return { refusal: refusalOf(planned, record), record }
  const { instant, digest: agentsDigest, action } = planned
  const bound = boundTo(ports, caller, terms, record)
  return { planned, planId: action === 'none' ? null : formatPlan(ports.planSigning, bound, { instant, agentsDigest }) }
}

type Asked = { readonly records: readonly DeclaredRecord[]; readonly issuers: readonly string[] }

/** What would become of each record, in order. Agents among them are there for the credentials among them. */
export const planRecords = async (
  ports: RecordPorts,
  caller: Administrator,
  { records, issuers, ...terms }: Terms & Asked,
): Promise<OrRefusal<{ readonly plans: readonly PlannedOrRefused[] }>> => {
  const agents = records.filter(isAgent).map(({ agentId: id, change: { name } }) => ({ id, name }))
  const credentials: string[] = []
  const plans: PlannedOrRefused[] = []
  // One after the other: each counts what those before it make, and a plan of many takes no more of the store at once than one of few.
  for (const record of records) {
    const one = await planOne(ports, { caller, terms, coming: { agents, credentials, issuers } }, record)
    if ('planned' in one && one.planned.kind === 'credential' && one.planned.action === 'create')
      credentials.push(one.planned.agent ?? '')
    plans.push(one)
  }
  return { plans }
}

const PLAN_OBSTACLES = {
  not_ours: 'plan_id is no plan of this service, or of before its key-encryption key was changed: make another plan.',
  other_caller: 'plan_id is the plan of another caller: make a plan of your own.',
  other_conditions: 'plan_id is the plan of another record, set or adopt: make a plan of this one.',
} as const

const OUTDATED = {
  plan_expired: 'The plan is older than 600 s: make another one. Nothing was done.',
  plan_outdated:
    'Something else would be done, or more tokens would end, than the plan has: make another one. Nothing was done.',
} as const

type Wish = Terms & { readonly record: DeclaredRecord; readonly planId: string; readonly extraMax: number }

const readPlanOf = (
  ports: RecordPorts,
  caller: Administrator,
  { planId, record, set, adopt }: Wish,
): OrRefusal<{ readonly plan: CountedPlan }> => {
  const plan = readPlan(ports.planSigning, boundTo(ports, caller, { set, adopt }, record), planId)
  return typeof plan === 'string' ? refuse('invalid_request', PLAN_OBSTACLES[plan]) : { plan }
}

const refuseIssuers = () =>
  refuse('insufficient_scope', `To change trusted issuers takes ${ACCESS.writeIssuers.permission}.`)

const isOfIssuers = (record: DeclaredRecord): boolean =>
  record.kind === 'issuer' || (record.kind === 'removal' && record.of === 'issuer')

/** Does what was planned for the record, and nothing else; done already, it does nothing. */
export const applyRecord = async (
  ports: RecordPorts,
  origin: Origin,
  wish: Wish,
): Promise<OrRefusal<{ readonly planned: PlannedRecord }>> => {
  const { record, extraMax, set } = wish
  if (isOfIssuers(record) && !may(origin.caller, ACCESS.writeIssuers)) return refuseIssuers()
  const plan = readPlanOf(ports, origin.caller, wish)
  const wanted = await read(ports, origin.caller, record)
  if (isRefused(wanted)) return wanted
  // The kind is that of what is done.
  const act = actBy(origin, 'agent.change', managedByOf(set))
  const within = isRefused(plan) ? null : { ...plan.plan, extraMax }
  const done = await ports.managed.apply(wanted.wanted, termsOf(ports, wish), within, act)
  if (done === 'caller_ended') return refuseUnknownKey()
  // Where nothing has to be done any plan will do.
  if (done === 'plan_missing') return isRefused(plan) ? plan : refuse('plan_outdated', OUTDATED.plan_outdated)
  if (done === 'plan_expired' || done === 'plan_outdated') return refuse('plan_outdated', OUTDATED[done])
  return 'why' in done ? { refusal: refusalOf(done, record) } : { planned: done }
}

/** One page of what a set manages. */
export const listManaged = (
  ports: Pick<AdministrationPorts, 'managed' | 'secrets'>,
  _caller: Administrator,
  request: ListRequest<{ readonly managedBy: string }>,
): Promise<OrRefusal<ListPage<ManagedRecord>>> =>
  readKeyedPage(ports, 'managed', request, page => ports.managed.list(page))
