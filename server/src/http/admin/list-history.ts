// GET /api/v1/tokens/history: the tokens that have ended, by whatever cause.
import { ACCESS } from '../../../../api/values/access.ts'
import { formatEndedRecord } from '../../domain/ledger/format-token.ts'
import { listHistory } from '../../operations/tokens/read-tokens.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { makeListHandler } from './list-page.ts'
import { historyFiltersOf, type HistoryQuery } from './list-query.ts'
import type { Refuser } from '../wire/refusals.ts'
import { endedTokenRecord, pageOf, unknownNames } from './token-record.ts'

export const historyAnswer = pageOf(endedTokenRecord).extend({ unknown: unknownNames })

export const makeHistoryHandler = (ports: AdministrationPorts, refuser: Refuser, path: string) =>
  makeListHandler(ports, refuser, {
    path,
    access: ACCESS.readTokens,
    filtersOf: (query: HistoryQuery) => historyFiltersOf(query),
    list: (reader, request) => listHistory(ports, reader, request),
    format: formatEndedRecord,
    unknownIn: query => query.termination_reason?.unknown ?? [],
  })
