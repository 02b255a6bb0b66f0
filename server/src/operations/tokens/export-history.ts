// Exports the history: every token that has ended and that the filters ask for, in the order of the list.
import type { EndedTokenRecord, HistoryFilters } from '../../domain/lists/page.ts'
import type { Ports } from '../../ports/ports.ts'
import { exportPages, type ExportReader, type NextPage } from '../reading/export-pages.ts'
import { listHistory } from './list-history.ts'

/** Every token that had ended when the export began, that is still kept, and that the reader may see. */
export const exportHistory = (
  ports: Pick<Ports, 'ledger' | 'secrets'>,
  caller: ExportReader,
  filters: HistoryFilters,
): NextPage<EndedTokenRecord> =>
  exportPages(caller, { filters, list: (reader, request) => listHistory(ports, reader, request) })
