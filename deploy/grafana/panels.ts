// The panels of the dashboard, row by row.
import type { Row } from './panel.ts'
import { PROCESS_ROWS } from './process-rows.ts'
import { REQUEST_ROWS } from './request-rows.ts'
import { STORE_ROWS } from './store-rows.ts'

export const ROWS: readonly Row[] = [...REQUEST_ROWS, ...STORE_ROWS, ...PROCESS_ROWS]
