// Issuers that an administrator trusts to name subjects, and what a change of one may be. No role follows from it.
import type { ProviderAlgorithm } from '../../../../api/values/algorithms.ts'
import type { SubjectClaim, TokenType } from '../../../../api/values/issuers.ts'
import { formatScope } from '../../../../api/values/scope.ts'
import { formatTime, formatTimeOrNull, type Milliseconds } from '../../../../api/values/time.ts'
import { givenOf } from './change-agent.ts'
import { SHORTEST_DELEGATED } from '../ledger/lineage.ts'
import { type OrRefusal, refuse } from '../refusal.ts'

/** What can be changed of an issuer. */
export type IssuerSettings = {
  /** Null where the metadata of the issuer names it. */
  readonly jwksUri: string | null
  readonly algorithms: readonly ProviderAlgorithm[]
  readonly tokenTypes: readonly TokenType[]
  /** The clients of the issuer whose JWTs are taken; none: any. */
  readonly parties: readonly string[]
  /** The most that a token may have: items, or `resource:*`. */
  readonly scopes: readonly string[]
  /** Resources that a token may be for; `*` for any. */
  readonly resources: readonly string[]
  /** The longest; a token gets the longest lifetime in use that is no longer. */
  readonly lifetimeSeconds: number
}

export type NewIssuer = IssuerSettings & {
  /** Never given again, not even once the issuer is deleted. */
  readonly alias: string
  /** Compared with `iss` exactly. */
  readonly issuer: string
  readonly subjectClaim: SubjectClaim
  /** Claims with the value that each must have. */
  readonly required: Readonly<Record<string, string>>
}

export type TrustedIssuer = NewIssuer & {
  readonly createdAt: Milliseconds
  readonly disabledAt: Milliseconds | null
  /** The time of the restore that suspended it: no JWT of it is taken until an operator accepts it. */
  readonly suspendedAt: Milliseconds | null
  /** The set of files that declares it: `apply/NAME`; null: none. */
  readonly managedBy: string | null
}

/** `changed`: by this act, which otherwise found it so, and is recorded nowhere. */
export type SwitchedIssuer = TrustedIssuer & { readonly changed: boolean }

/** By what a JWT of an issuer is verified. */
export type KeysOfIssuer = Pick<NewIssuer, 'jwksUri' | 'algorithms'>

export const haveSameKeys = (one: KeysOfIssuer, other: KeysOfIssuer): boolean =>
  one.jwksUri === other.jwksUri && one.algorithms.join(' ') === other.algorithms.join(' ')

/** The settings to change; absent or undefined ones stay as they are. */
export type IssuerChange = { readonly [Name in keyof IssuerSettings]?: IssuerSettings[Name] | undefined }

/** Whether no JWT fits both records of one issuer: they require different values of one claim. */
export const areDistinct = ({ required: one }: Pick<NewIssuer, 'required'>, other: Pick<NewIssuer, 'required'>) =>
  Object.entries(other.required).some(([name, value]) => Object.hasOwn(one, name) && one[name] !== value)

const NO_PARTIES =
  'token_types has jwt, which any client of the issuer could get: name those that are trusted in parties.'

const TOO_SHORT = `lifetime_seconds is less than ${SHORTEST_DELEGATED}, the shortest lifetime of a token for another subject.`

const refuseSettings = ({ tokenTypes, parties, lifetimeSeconds }: IssuerSettings) => {
  if (tokenTypes.includes('jwt') && parties.length === 0) return refuse('invalid_request', NO_PARTIES)
  return lifetimeSeconds < SHORTEST_DELEGATED ? refuse('invalid_request', TOO_SHORT) : undefined
}

const placeOf = (url: string): string | undefined => URL.parse(url)?.href.replace(/\/$/, '')

/** Whether an issuer is the service of this base URL, in whatever spelling. Undefined or empty: it is not known. */
export const isService = (issuer: string, baseUrl: string | undefined): boolean =>
  baseUrl !== undefined && baseUrl !== '' && placeOf(issuer) === placeOf(baseUrl)

/** The settings as they are after the change, or why they cannot be so. */
export const applyIssuerChange = (
  { jwksUri, algorithms, tokenTypes, parties, scopes, resources, lifetimeSeconds }: IssuerSettings,
  change: IssuerChange,
): OrRefusal<IssuerSettings> => {
  const before = { jwksUri, algorithms, tokenTypes, parties, scopes, resources, lifetimeSeconds }
  const after = { ...before, ...givenOf(change) }
  return refuseSettings(after) ?? after
}

/** Under the names of the wire. */
export const issuerSettingsRecord = (settings: IssuerSettings) => ({
  jwks_uri: settings.jwksUri,
  algorithms: [...settings.algorithms],
  token_types: [...settings.tokenTypes],
  parties: [...settings.parties],
  scope: formatScope(settings.scopes),
  resources: [...settings.resources],
  lifetime_seconds: settings.lifetimeSeconds,
})

/** What an issuer is at its creation, for the audit log too. */
export const newIssuerRecord = (issuer: NewIssuer) => ({
  alias: issuer.alias,
  issuer: issuer.issuer,
  subject_claim: issuer.subjectClaim,
  require: { ...issuer.required },
  ...issuerSettingsRecord(issuer),
})

type NewIssuerBody = Omit<ReturnType<typeof newIssuerRecord>, 'jwks_uri' | 'scope' | ListsOfWire> & {
  readonly [Name in ListsOfWire]: IssuerSettings[Name extends 'token_types' ? 'tokenTypes' : Name]
} & { readonly jwks_uri?: string | null | undefined; readonly scope: readonly string[] }

type ListsOfWire = 'algorithms' | 'token_types' | 'parties' | 'resources'

/** The new issuer of a body. */
export const newIssuerOf = (body: NewIssuerBody): NewIssuer => ({
  alias: body.alias,
  issuer: body.issuer,
  subjectClaim: body.subject_claim,
  required: body.require,
  jwksUri: body.jwks_uri ?? null,
  algorithms: body.algorithms,
  tokenTypes: body.token_types,
  parties: body.parties,
  scopes: body.scope,
  resources: body.resources,
  lifetimeSeconds: body.lifetime_seconds,
})

/** The JSON of an issuer, over HTTP and on the command line. */
export const issuerRecord = (issuer: TrustedIssuer) => ({
  ...newIssuerRecord(issuer),
  managed_by: issuer.managedBy,
  created_at: formatTime(issuer.createdAt),
  disabled_at: formatTimeOrNull(issuer.disabledAt),
  suspended_at: formatTimeOrNull(issuer.suspendedAt),
})
