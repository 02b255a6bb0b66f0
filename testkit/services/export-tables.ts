// Exports as tables: the names of their columns, and a record of the list as the cells of its line.

export type Kept = Readonly<Record<string, unknown>>

type Name = 'tokens' | 'history' | 'audit'

const OWN_COLUMNS = 'id agent_id client_id credential_id scope audience kid issued_at expires_at'.split(' ')
const TOKEN_COLUMNS = [...OWN_COLUMNS, ...'subject_agent_id parent_id root_id depth actors'.split(' ')]
const NAME_COLUMNS = ['agent_name', 'owner']
/** The columns by name of the export. */
export const COLUMNS: Readonly<Record<Name, readonly string[]>> = {
  tokens: [...TOKEN_COLUMNS, ...NAME_COLUMNS, 'subject'],
  history: [
    ...TOKEN_COLUMNS,
    ...'ended_at termination_reason ended_by_type ended_by_id ended_by_iss ended_by_sub note revocation_id ancestor_id'.split(
      ' ',
    ),
    ...NAME_COLUMNS,
    'subject',
  ],
  audit: [
    ...'n at kind actor_type actor_id actor_iss actor_sub source request_id subject note detail'.split(' '),
    ...NAME_COLUMNS,
  ],
}

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.join(' ')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // A kid may begin so.
  return text.startsWith('-') ? `'${text}` : text
}

const actorCells = (actor: unknown): readonly string[] =>
  ['type', 'id', 'iss', 'sub'].map(member => cell((actor as Kept | null)?.[member]))

const tokenCells = (record: Kept): readonly string[] => [
  ...OWN_COLUMNS.map(name => cell(record[name])),
  cell((record['subject'] as Kept | undefined)?.['agent_id']),
  ...['parent_id', 'root_id', 'depth', 'actors'].map(name => cell(record[name])),
]

const nameCells = (record: Kept): readonly string[] => NAME_COLUMNS.map(name => cell(record[name]))

const subjectCell = ({ subject }: Kept): string => {
  const { agent_id: id, issuer, sub } = subject as Readonly<Record<string, string>>
  return id ?? cell(`${issuer}:${sub}`)
}

/** The line of a record. */
export const CELLS: Readonly<Record<Name, (record: Kept) => readonly string[]>> = {
  tokens: record => [...tokenCells(record), ...nameCells(record), subjectCell(record)],
  history: record => [
    ...tokenCells(record),
    ...['ended_at', 'termination_reason'].map(name => cell(record[name])),
    ...actorCells(record['ended_by']),
    ...['note', 'revocation_id', 'ancestor_id'].map(name => cell(record[name])),
    ...nameCells(record),
    subjectCell(record),
  ],
  audit: record => [
    ...['n', 'at', 'kind'].map(name => cell(record[name])),
    ...actorCells(record['actor']),
    ...['source', 'request_id', 'subject', 'note', 'detail'].map(name => cell(record[name])),
    ...nameCells(record),
  ],
}
