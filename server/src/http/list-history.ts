// GET /api/v1/tokens/history: the tokens that have ended, by whatever cause.
import { ACCESS } from '../domain/access.ts'
import { formatEndedRecord } from '../domain/format-token.ts'
import { listHistory } from '../operations/list-history.ts'
import type { AdministrationPorts } from '../ports.ts'
import { makeListHandler } from './list-page.ts'
import { historyFiltersOf } from './list-query.ts'
import type { Refuser } from './refusals.ts'
import { endedTokenRecord, pageOf } from './token-record.ts'

export const historyAnswer = pageOf(endedTokenRecord)

export const makeHistoryHandler = (ports: AdministrationPorts, refuser: Refuser, path: string) =>
  makeListHandler(ports, refuser, {
    path,
    access: ACCESS.readTokens,
    filtersOf: historyFiltersOf,
    list: (reader, request) => listHistory(ports, reader, request),
    format: formatEndedRecord,
  })
