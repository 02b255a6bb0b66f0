// Trusted issuers in the store. The row of a deleted one stays, because its alias is never given again.
import type { Act } from '../../domain/audit/act.ts'
import {
  applyIssuerChange,
  areDistinct,
  type IssuerChange,
  issuerSettingsRecord,
  type NewIssuer,
  newIssuerRecord,
  type SwitchedIssuer,
  type TrustedIssuer,
} from '../../domain/clients/trusted-issuer.ts'
import type { Ending } from '../../domain/ledger/ends.ts'
import { NO_CONDITION } from '../../domain/ledger/ledger.ts'
import type { KeyedPage, KeyedRequest } from '../../domain/lists/page.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { IssuerObstacle, TrustedRecord } from '../../ports/issuers.ts'
import { ISSUERS_MAX } from '../../../../api/values/issuers.ts'
import type { EndingReason } from '../../../../api/values/reason.ts'
import { formatTimeOrNull, type Milliseconds } from '../../../../api/values/time.ts'
import { endAll } from '../ledger/end-tokens.ts'
import { parseLabels, parseStrings } from '../rows.ts'
import { all, first, run, type Program, type Value } from '../statement-program.ts'
import { audit, differenceOf, nextSeq, type Transaction } from '../transaction.ts'
import { once } from './idempotency.ts'

type Lists = 'algorithms' | 'tokenTypes' | 'parties' | 'scopes' | 'resources'

/** As `COLUMNS` lists it. */
export type IssuerRow = Omit<TrustedIssuer, Lists | 'required'> & { readonly n: number; readonly required: string } & {
  readonly [Name in Lists]: string
}

const COLUMNS = `n, alias, iss as issuer, subject_claim as "subjectClaim", required, jwks_uri as "jwksUri", algorithms,
  token_types as "tokenTypes", parties, scopes, resources, life as "lifetimeSeconds", created_at as "createdAt",
  disabled_at as "disabledAt", suspended_at as "suspendedAt", managed_by as "managedBy"`

const SELECT = `select ${COLUMNS} from trusted_issuer where deleted_at is null`

export const issuerOf = ({ n: _n, ...row }: IssuerRow): TrustedIssuer => ({
  ...row,
  required: parseLabels(row.required),
  // Written by `settingValues` of the same types.
  algorithms: parseStrings(row.algorithms) as TrustedIssuer['algorithms'],
  tokenTypes: parseStrings(row.tokenTypes) as TrustedIssuer['tokenTypes'],
  parties: parseStrings(row.parties),
  scopes: parseStrings(row.scopes),
  resources: parseStrings(row.resources),
})

/** An issuer that is not deleted. */
export const readIssuerRow = (alias: string): Program<IssuerRow | undefined> =>
  first<IssuerRow>(`${SELECT} and alias = ?`, alias)

export function* showIssuer(alias: string): Program<TrustedIssuer | undefined> {
  const row = yield* readIssuerRow(alias)
  return row === undefined ? undefined : issuerOf(row)
}

/** By alias, at most `limit` after this one. */
export function* listIssuers({ after, limit }: KeyedRequest<object>): Program<KeyedPage<TrustedIssuer>> {
  const rows = yield* all<IssuerRow>(`${SELECT} and alias > ? order by alias limit ?`, after ?? '', limit + 1)
  const records = rows.slice(0, limit).map(issuerOf)
  return { records, next: rows.length > limit ? (records.at(-1)?.alias ?? null) : null }
}

/** All that are not deleted, with their numbers: ISSUERS_MAX at most. */
export function* readIssuers(): Program<readonly TrustedRecord[]> {
  return (yield* all<IssuerRow>(`${SELECT} order by alias`)).map(row => ({ ...issuerOf(row), number: row.n }))
}

const SETTINGS = ['jwks_uri', 'algorithms', 'token_types', 'parties', 'scopes', 'resources', 'life'] as const

const settingValues = (issuer: Pick<NewIssuer, Lists | 'jwksUri' | 'lifetimeSeconds'>): readonly Value[] => [
  issuer.jwksUri,
  ...[issuer.algorithms, issuer.tokenTypes, issuer.parties, issuer.scopes, issuer.resources].map(list =>
    JSON.stringify(list),
  ),
  issuer.lifetimeSeconds,
]

const INSERT = `insert into trusted_issuer (alias, iss, subject_claim, required, created_at, ${SETTINGS.join(', ')})
  values (?, ?, ?, ?, ?, ${SETTINGS.map(() => '?').join(', ')})`

type CreateIssuer = { readonly issuer: NewIssuer; readonly act: Act }

export function* obstacleToIssuer(issuer: NewIssuer): Program<IssuerObstacle | undefined> {
  const used = yield* first('select 1 as found from trusted_issuer where alias = ?', issuer.alias)
  if (used !== undefined) return 'alias_taken'
  const others = yield* readIssuers()
  if (others.length >= ISSUERS_MAX) return 'too_many'
  const alike = others.find(other => other.issuer === issuer.issuer && !areDistinct(issuer, other))
  return alike === undefined ? undefined : { taken: alike.alias }
}

export function* makeIssuer(tx: Transaction, { issuer, act }: CreateIssuer): Program<TrustedIssuer | IssuerObstacle> {
  const obstacle = yield* obstacleToIssuer(issuer)
  if (obstacle !== undefined) return obstacle
  const fixed = [issuer.alias, issuer.issuer, issuer.subjectClaim, JSON.stringify(issuer.required)]
  yield* run(INSERT, ...fixed, tx.now, ...settingValues(issuer))
  const seq = yield* nextSeq(tx)
  yield* audit(tx, act, issuer.alias, { after: newIssuerRecord(issuer), seq })
  return { ...issuer, createdAt: tx.now, disabledAt: null, suspendedAt: null, managedBy: null }
}

export const createIssuer = (tx: Transaction, create: CreateIssuer) =>
  once(tx, create.act, create.issuer.alias, () => makeIssuer(tx, create))

const UPDATE = `update trusted_issuer set ${SETTINGS.map(name => `${name} = ?`).join(', ')} where n = ?`

type ChangeIssuer = { readonly alias: string; readonly change: IssuerChange; readonly act: Act }

/** A change that another overtook loses nothing of either. It ends no token: it decides on the next one. */
export function* changeIssuer(
  tx: Transaction,
  { alias, change, act }: ChangeIssuer,
): Program<OrRefusal<TrustedIssuer> | undefined> {
  const row = yield* readIssuerRow(alias)
  if (row === undefined) return undefined
  const before = issuerOf(row)
  const after = applyIssuerChange(before, change)
  if ('refusal' in after) return after
  const changed = differenceOf(issuerSettingsRecord(before), issuerSettingsRecord(after))
  if (Object.keys(changed.after).length === 0) return before
  yield* run(UPDATE, ...settingValues(after), row.n)
  yield* audit(tx, act, alias, { ...changed, seq: yield* nextSeq(tx) })
  return { ...before, ...after }
}

type ActOnIssuer = { readonly alias: string; readonly act: Act }

type EndingOfIssuer = Extract<EndingReason, 'issuer_disabled' | 'issuer_deleted'>

/** The tokens that act for its subjects: none where the issuer is disabled already. */
export const endingsOfIssuer = ({ n, disabledAt }: IssuerRow, reason: EndingOfIssuer): readonly Ending[] =>
  disabledAt === null ? [{ conditions: { ...NO_CONDITION, issuers: [n] }, reason }] : []

/** Ends them, and returns the number of the act. */
function* endWith(tx: Transaction, row: IssuerRow, reason: EndingOfIssuer, act: Act): Program<number> {
  const [ending] = endingsOfIssuer(row, reason)
  return ending === undefined ? yield* nextSeq(tx) : yield* endAll(tx, { ...ending, act })
}

const disabling = (before: Milliseconds | null, after: Milliseconds | null): object => ({
  before: { disabled_at: formatTimeOrNull(before) },
  after: { disabled_at: formatTimeOrNull(after) },
})

function* switchTo(
  tx: Transaction,
  { alias, act }: ActOnIssuer,
  disabledAt: Milliseconds | null,
): Program<SwitchedIssuer | undefined> {
  const row = yield* readIssuerRow(alias)
  if (row === undefined) return undefined
  if ((row.disabledAt === null) === (disabledAt === null)) return { ...issuerOf(row), changed: false }
  yield* run('update trusted_issuer set disabled_at = ? where n = ?', disabledAt, row.n)
  const seq = yield* endWith(tx, row, 'issuer_disabled', act)
  yield* audit(tx, act, alias, { ...disabling(row.disabledAt, disabledAt), seq })
  return { ...issuerOf({ ...row, disabledAt }), changed: true }
}

/** Disabling twice changes nothing. */
export const disableIssuer = (tx: Transaction, on: ActOnIssuer) => switchTo(tx, on, tx.now)

export const enableIssuer = (tx: Transaction, on: ActOnIssuer) => switchTo(tx, on, null)

const DELETE = 'update trusted_issuer set disabled_at = coalesce(disabled_at, ?), deleted_at = ? where n = ?'

export function* deleteIssuer(tx: Transaction, { alias, act }: ActOnIssuer): Program<'deleted' | 'unknown'> {
  const row = yield* readIssuerRow(alias)
  if (row === undefined) return 'unknown'
  yield* run(DELETE, tx.now, tx.now, row.n)
  const seq = yield* endWith(tx, row, 'issuer_deleted', act)
  const before = { ...newIssuerRecord(issuerOf(row)), disabled_at: formatTimeOrNull(row.disabledAt) }
  yield* audit(tx, act, alias, { before, seq })
  return 'deleted'
}
