// GET /api/v1/tokens: the tokens that are active now.
import { ACCESS } from '../../../../api/values/access.ts'
import { formatRecord } from '../../domain/ledger/format-token.ts'
import { listTokens } from '../../operations/tokens/read-tokens.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { makeListHandler } from './list-page.ts'
import { tokenFiltersOf } from './list-query.ts'
import type { Refuser } from '../wire/refusals.ts'
import { pageOf, tokenRecord } from './token-record.ts'

export const tokensAnswer = pageOf(tokenRecord)

export const makeTokensHandler = (ports: AdministrationPorts, refuser: Refuser, path: string) =>
  makeListHandler(ports, refuser, {
    path,
    access: ACCESS.readTokens,
    filtersOf: tokenFiltersOf,
    list: (reader, request) => listTokens(ports, reader, request),
    format: formatRecord,
  })
