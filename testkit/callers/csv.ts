// Reads comma-separated values as RFC 4180 §2 has them, and nothing else.
import assert from 'node:assert/strict'

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y

/** The rows, each of its cells. Fails where a byte is left over. */
export const parseCsv = (text: string): readonly (readonly string[])[] => {
  const rows: string[][] = []
  let row: string[] = []
  CELL.lastIndex = 0
  while (CELL.lastIndex < text.length) {
    const at = CELL.lastIndex
    const found = CELL.exec(text)
    assert.ok(found !== null, `Not RFC 4180 at ${at}: ${JSON.stringify(text.slice(at, at + 80))}`)
    const [, quoted, plain = '', end] = found
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end !== '\r\n') continue
    rows.push(row)
    row = []
  }
  assert.deepEqual(row, [], 'The last line has no end.')
  return rows
}
