// What becomes of a trusted issuer that a file declares. Its alias and what selects its tokens never change.
import {
  applyIssuerChange,
  issuerSettingsRecord,
  type NewIssuer,
  newIssuerRecord,
} from '../../../domain/clients/trusted-issuer.ts'
import type { ManagedTerms, Wanted } from '../../../domain/clients/managed-record.ts'
import {
  changeIssuer,
  deleteIssuer,
  endingsOfIssuer,
  issuerOf,
  type IssuerRow,
  makeIssuer,
  obstacleToIssuer,
  readIssuerRow,
} from '../issuers.ts'
import { run, type Program } from '../../statement-program.ts'
import { differenceOf } from '../../transaction.ts'
import { auditAdoption, type Decided, obstacle, obstacleOfOthers, refusedBy, remarkOf, unchanged } from './decision.ts'

const MANAGE = 'update trusted_issuer set managed_by = ? where alias = ?'

function* decideCreation(issuer: NewIssuer, { managedBy }: ManagedTerms): Program<Decided> {
  const found = yield* obstacleToIssuer(issuer)
  if (found === 'alias_taken') return obstacle('alias_used')
  if (found === 'too_many') return obstacle('too_many_issuers')
  if (found !== undefined) return { why: 'issuers_alike', alias: found.taken }
  const { alias } = issuer
  return {
    kind: 'issuer',
    action: 'create',
    id: null,
    name: alias,
    agent: null,
    before: {},
    after: newIssuerRecord(issuer),
    remark: null,
    endings: [],
    run: function* (tx, act) {
      const made = yield* makeIssuer(tx, { issuer, act: { ...act, kind: 'issuer.create' } })
      if (typeof made === 'string' || 'taken' in made) throw new Error('An issuer that was decided on was not made.')
      yield* run(MANAGE, managedBy, alias)
      return alias
    },
  }
}

const fixedOf = ({ issuer, subjectClaim, required }: NewIssuer): string =>
  JSON.stringify([issuer, subjectClaim, Object.entries(required).toSorted(([a], [b]) => (a < b ? -1 : 1))])

const decideOn = (row: IssuerRow, wanted: NewIssuer, terms: ManagedTerms): Decided => {
  const others = obstacleOfOthers(row.managedBy, terms)
  if (others !== undefined) return others
  const before = issuerOf(row)
  if (fixedOf(before) !== fixedOf(wanted)) return obstacle('fixed')
  const after = applyIssuerChange(before, wanted)
  if ('refusal' in after) return refusedBy(after)
  const difference = differenceOf(issuerSettingsRecord(before), issuerSettingsRecord(after))
  const { alias } = row
  const record = { kind: 'issuer', id: alias, name: alias, agent: null, remark: remarkOf(row) } as const
  const [isChanged, isAdopted] = [Object.keys(difference.after).length > 0, row.managedBy !== terms.managedBy]
  if (!isChanged && !isAdopted) return unchanged(record)
  return {
    ...record,
    ...difference,
    action: isChanged ? 'change' : 'adopt',
    endings: [],
    run: function* (tx, act) {
      const acted = { ...act, kind: 'issuer.change' } as const
      if (isChanged) yield* changeIssuer(tx, { alias, change: after, act: acted })
      if (!isAdopted) return alias
      yield* run(MANAGE, terms.managedBy, alias)
      yield* auditAdoption(tx, acted, { id: alias, managedBy: row.managedBy }, terms)
      return alias
    },
  }
}

export function* decideIssuer({ issuer }: Wanted<'issuer'>, terms: ManagedTerms): Program<Decided> {
  const row = yield* readIssuerRow(issuer.alias)
  return row === undefined ? yield* decideCreation(issuer, terms) : decideOn(row, issuer, terms)
}

export function* decideIssuerRemoval(alias: string, terms: ManagedTerms): Program<Decided> {
  const row = yield* readIssuerRow(alias)
  if (row === undefined) return unchanged({ kind: 'issuer', id: alias, name: alias, agent: null })
  const others = obstacleOfOthers(row.managedBy, { ...terms, adopt: false })
  if (others !== undefined) return others
  return {
    kind: 'issuer',
    action: 'delete',
    id: alias,
    name: alias,
    agent: null,
    before: newIssuerRecord(issuerOf(row)),
    after: {},
    remark: remarkOf(row),
    endings: endingsOfIssuer(row, 'issuer_deleted'),
    run: function* (tx, act) {
      yield* deleteIssuer(tx, { alias, act: { ...act, kind: 'issuer.delete' } })
      return alias
    },
  }
}
