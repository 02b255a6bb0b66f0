// Trusted issuers: created, listed, shown, changed, disabled, enabled and deleted. No role follows from being trusted.
import { isAlias, ISSUERS_MAX } from '../../../../api/values/issuers.ts'
import { actBy, type Administrator, type Origin } from '../../domain/caller.ts'
import {
  applyIssuerChange,
  isService,
  type IssuerChange,
  type NewIssuer,
  type SwitchedIssuer,
  type TrustedIssuer,
} from '../../domain/clients/trusted-issuer.ts'
import { isExisting, refuseRepeat } from '../../domain/idempotency.ts'
import type { Counted } from '../../domain/ledger/ends.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { IssuerObstacle } from '../../ports/issuers.ts'
import type { AdministrationPorts, Ports } from '../../ports/ports.ts'
import { type ListPage, type ListRequest, readKeyedPage } from '../reading/read-page.ts'

type Refused = ReturnType<typeof refuse>

export const refuseUnknownIssuer = (alias: string): Refused =>
  refuse('not_found', `No trusted issuer has the alias ${alias}; GET /api/v1/issuers lists them.`)

const PLAIN = /^[\x21-\x7e]{1,512}$/

const refuseNamed = (issuer: string, named: string | null): Refused => {
  const shown = named !== null && PLAIN.test(named) ? named : 'no issuer'
  const advice =
    shown === 'no issuer' || shown.includes('{')
      ? 'write the URL of one tenant, as iss of its tokens has it'
      : 'write that one, if iss of its tokens is so'
  return refuse('invalid_request', `issuer is ${issuer}, but its metadata names ${shown}: ${advice}.`)
}

type DiscoveryPorts = Pick<AdministrationPorts, 'foreignIssuers'>

/** Refuses an issuer whose metadata names another one. What cannot be read now may be readable later: `doctor` reports it. */
const refuseByMetadata = async (
  { foreignIssuers }: DiscoveryPorts,
  issuer: string,
  jwksUri: string | null,
): Promise<Refused | undefined> => {
  if (jwksUri !== null || foreignIssuers === null) return undefined
  const found = await foreignIssuers.discover(issuer)
  return typeof found === 'string' ? undefined : refuseNamed(issuer, found.named)
}

export const refuseObstacle = (obstacle: IssuerObstacle, alias: string): Refused => {
  if (obstacle === 'alias_taken') {
    return refuse(
      'already_exists',
      `The alias ${alias} is or was that of a trusted issuer, and none is given twice; choose another.`,
    )
  }
  if (obstacle === 'too_many') {
    return refuse('invalid_request', `${ISSUERS_MAX} issuers are trusted, the most there can be; delete one first.`)
  }
  return refuse(
    'invalid_request',
    `A token could fit this record and ${obstacle.taken}, of the same issuer: both must require one claim, with different values. What ${obstacle.taken} requires never changes.`,
  )
}

type CreatePorts = Pick<Ports, 'issuers'> & DiscoveryPorts & { readonly profile: { readonly issuer: string } }

/** Why nobody may trust the issuer so, whatever the store holds and its metadata says. Nothing is asked of it. */
export const checkIssuer = ({ profile }: Pick<CreatePorts, 'profile'>, issuer: NewIssuer): Refused | undefined => {
  if (isService(issuer.issuer, profile.issuer)) {
    return refuse(
      'invalid_request',
      'issuer is this service, whose own tokens agents exchange anyway: name another issuer.',
    )
  }
  const checked = applyIssuerChange(issuer, {})
  return isRefused(checked) ? checked : undefined
}

/** The same, and what its metadata says, which is asked of it: for those who may trust issuers. */
export const checkNewIssuer = async (ports: CreatePorts, issuer: NewIssuer): Promise<Refused | undefined> => {
  const refused = checkIssuer(ports, issuer)
  if (refused !== undefined) return refused
  // One that is there is what the creation refuses: a repetition must hear of the first, whatever the metadata says by now.
  const isThere = (await ports.issuers.show(issuer.alias)) !== undefined
  return isThere ? undefined : refuseByMetadata(ports, issuer.issuer, issuer.jwksUri)
}

/** Trusts an issuer to name subjects, within the ceilings. */
export const createIssuer = async (
  ports: CreatePorts,
  origin: Origin,
  issuer: NewIssuer,
): Promise<OrRefusal<TrustedIssuer>> => {
  const refused = await checkNewIssuer(ports, issuer)
  if (refused !== undefined) return refused
  const created = await ports.issuers.create(issuer, actBy(origin, 'issuer.create'))
  if (typeof created === 'string' || 'taken' in created) return refuseObstacle(created, issuer.alias)
  return isExisting(created) ? refuseRepeat(created) : created
}

export const showIssuer = async (
  ports: Pick<Ports, 'issuers'>,
  _caller: Administrator,
  alias: string,
): Promise<OrRefusal<TrustedIssuer>> =>
  (isAlias(alias) ? await ports.issuers.show(alias) : undefined) ?? refuseUnknownIssuer(alias)

/** One page of the issuers by alias, the disabled ones too. */
export const listIssuers = (
  ports: Pick<Ports, 'issuers' | 'secrets'>,
  _caller: Administrator,
  request: ListRequest<object>,
): Promise<OrRefusal<ListPage<TrustedIssuer>>> =>
  readKeyedPage(ports, 'issuers', request, page => ports.issuers.list(page))

/** The issuer as it is now. No token ends: the change decides on the next one. */
export const changeIssuer = async (
  ports: Pick<Ports, 'issuers'> & DiscoveryPorts,
  origin: Origin,
  alias: string,
  change: IssuerChange,
): Promise<OrRefusal<TrustedIssuer>> => {
  const before = await showIssuer(ports, origin.caller, alias)
  if (isRefused(before)) return before
  const looksAtMetadata = change.jwksUri === null && before.jwksUri !== null
  const refused = looksAtMetadata ? await refuseByMetadata(ports, before.issuer, null) : undefined
  if (refused !== undefined) return refused
  return (await ports.issuers.change(alias, change, actBy(origin, 'issuer.change'))) ?? refuseUnknownIssuer(alias)
}

export type Stop = {
  readonly note: string | null
  /** Counts what would end, and changes nothing. */
  readonly dryRun: boolean
}

/** The issuer, disabled now or before: from the acknowledgement on no JWT of it is taken. */
export const disableIssuer = async (
  ports: Pick<Ports, 'issuers' | 'dryRuns'>,
  origin: Origin,
  alias: string,
  { note, dryRun }: Stop,
): Promise<OrRefusal<SwitchedIssuer | Counted>> => {
  if (!isAlias(alias)) return refuseUnknownIssuer(alias)
  if (dryRun) {
    const ends = await ports.dryRuns.disableIssuer(alias)
    return ends === 'unknown' ? refuseUnknownIssuer(alias) : { ends }
  }
  return (await ports.issuers.disable(alias, actBy(origin, 'issuer.disable', note))) ?? refuseUnknownIssuer(alias)
}

/** The issuer, enabled now or before: its JWTs are taken again. */
export const enableIssuer = async (
  ports: Pick<Ports, 'issuers'>,
  origin: Origin,
  alias: string,
  note: string | null,
): Promise<OrRefusal<SwitchedIssuer>> => {
  if (!isAlias(alias)) return refuseUnknownIssuer(alias)
  return (await ports.issuers.enable(alias, actBy(origin, 'issuer.enable', note))) ?? refuseUnknownIssuer(alias)
}

/** Deletes the issuer. There is no way back, and its alias is never given again. */
export const deleteIssuer = async (
  ports: Pick<Ports, 'issuers' | 'dryRuns'>,
  origin: Origin,
  alias: string,
  { note, dryRun }: Stop,
): Promise<OrRefusal<{ readonly alias: string } | Counted>> => {
  if (!isAlias(alias)) return refuseUnknownIssuer(alias)
  if (dryRun) {
    const ends = await ports.dryRuns.deleteIssuer(alias)
    return ends === 'unknown' ? refuseUnknownIssuer(alias) : { ends }
  }
  const outcome = await ports.issuers.delete(alias, actBy(origin, 'issuer.delete', note))
  return outcome === 'unknown' ? refuseUnknownIssuer(alias) : { alias }
}
