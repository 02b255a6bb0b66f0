// Exports the live tokens: all that the filters ask for, in the order of their list.
import type { TokenFilters, TokenRecord } from '../../domain/lists/page.ts'
import type { Ports } from '../../ports/ports.ts'
import { exportPages, type ExportReader, type NextPage } from '../reading/export-pages.ts'
import { listTokens } from './list-tokens.ts'

/** Every token that is active while its page is read and that the reader may see. */
export const exportTokens = (
  ports: Pick<Ports, 'ledger' | 'secrets'>,
  caller: ExportReader,
  filters: TokenFilters,
): NextPage<TokenRecord> =>
  exportPages(caller, { filters, list: (reader, request) => listTokens(ports, reader, request) })
