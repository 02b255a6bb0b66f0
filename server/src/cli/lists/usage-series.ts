// What happened over time, as a table: mintmark stats --over.
import { Option } from 'commander'
import { showUsageSeries } from '../../../../api/usage.ts'
import { SERIES_WINDOW_NAMES, type SeriesWindow } from '../../../../api/values/usage.ts'
import type { Shown } from '../administer.ts'
import type { Api } from '../remote/api.ts'
import { areRecords, formatCell, type PrintedRecord, printTable } from '../terminal/print.ts'

export type SeriesOptions = { readonly over?: SeriesWindow; readonly agent?: string }

const COLUMNS = ['from', 'issued', 'refused', 'active', 'inactive', 'ended']

export const overOption = (): Option =>
  new Option('--over <window>', 'show a table over time: each minute of an hour, or each hour of a day').choices(
    SERIES_WINDOW_NAMES,
  )

/** The ends of a point, as `2 manual_revocation`. */
const formatEnds = (ended: unknown): readonly string[] =>
  areRecords(ended) ? ended.map(({ reason, ...count }) => `${formatCell(count)} ${String(reason)}`) : []

const rowOf = ({ ended, ...point }: PrintedRecord): PrintedRecord => ({ ...point, ended: formatEnds(ended).join(', ') })

export const showSeries = async (api: Api, over: SeriesWindow, agent: string | undefined): Promise<Shown> => {
  const series = await api.call(showUsageSeries, { query: { over, agent_id: agent } })
  const { data } = series
  return { json: series, forPeople: () => printTable(COLUMNS, areRecords(data) ? data.map(rowOf) : []) }
}
