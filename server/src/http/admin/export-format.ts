// The formats of an export: NDJSON, whose lines are the records of the list, and CSV.
import type { Actor } from '../../domain/audit/act.ts'
import { type Columns, csvHeader, csvLine } from '../../domain/lists/csv.ts'

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const

export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export const MEDIA_TYPES = {
  ndjson: 'application/x-ndjson',
  // RFC 4180 §3.
  csv: 'text/csv; charset=utf-8; header=present',
} as const satisfies Readonly<Record<ExportFormat, string>>

/** A record as its list shows it, and as a line of a table. */
export type ExportShape<Found, Shown extends object> = {
  readonly format: (found: Found) => Shown
  readonly columns: Columns<Shown>
}

type Texts<Found> = {
  /** Stands before all records. */
  readonly opening: string
  readonly lineOf: (found: Found) => string
}

export const textsIn = <Found, Shown extends object>(
  format: ExportFormat,
  shape: ExportShape<Found, Shown>,
): Texts<Found> =>
  format === 'csv'
    ? { opening: csvHeader(shape.columns), lineOf: found => csvLine(shape.columns, shape.format(found)) }
    : { opening: '', lineOf: found => `${JSON.stringify(shape.format(found))}\n` }

type ActorCells = Readonly<Record<'type' | 'id' | 'iss' | 'sub', string | null>>

/** Who acted, in four columns: an operator has `iss` and `sub`, anybody else an id or nothing. */
export const actorCells = (actor: Actor | null): ActorCells => ({
  type: null,
  id: null,
  iss: null,
  sub: null,
  ...actor,
})
