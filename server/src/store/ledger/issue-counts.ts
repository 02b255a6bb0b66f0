// How many tokens an agent got of late, kept in the transactions that write them: a restart forgets nothing, and what is
// rolled back was not counted. One row an agent, of bounded size, for those agents alone whose rate is limited.
import type { Issued } from '../../domain/ledger/rate.ts'
import { first, run, type Program } from '../statement-program.ts'

/** The tokens of an agent by slots of the window of a minute and of a day. */
export type IssueCounts = { readonly minute: readonly Issued[]; readonly day: readonly Issued[] }

// Two numbers of 32 bits a slot: its number and its count.
const NUMBER_BYTES = 4
const SLOT_BYTES = 2 * NUMBER_BYTES

const pack = (issued: readonly Issued[]): Buffer => {
  const bytes = Buffer.alloc(SLOT_BYTES * issued.length)
  issued.forEach(({ slot, count }, n) => {
    bytes.writeUInt32LE(slot, SLOT_BYTES * n)
    bytes.writeUInt32LE(count, SLOT_BYTES * n + NUMBER_BYTES)
  })
  return bytes
}

const unpack = (packed: Uint8Array): readonly Issued[] => {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)
  return Array.from({ length: bytes.length / SLOT_BYTES }, (_, n) => ({
    slot: bytes.readUInt32LE(SLOT_BYTES * n),
    count: bytes.readUInt32LE(SLOT_BYTES * n + NUMBER_BYTES),
  }))
}

const READ = 'select minute, day from issue_count where agent = ?'

export function* readIssueCounts(agent: number): Program<IssueCounts> {
  const row = yield* first<{ minute: Uint8Array; day: Uint8Array }>(READ, agent)
  return row === undefined ? { minute: [], day: [] } : { minute: unpack(row.minute), day: unpack(row.day) }
}

const WRITE = `insert into issue_count (agent, minute, day) values (?, ?, ?)
  on conflict (agent) do update set minute = excluded.minute, day = excluded.day`

export const writeIssueCounts = (agent: number, { minute, day }: IssueCounts): Program<number> =>
  run(WRITE, agent, pack(minute), pack(day))

/** Deletes the counts of an agent that requests no more tokens. */
export const dropIssueCounts = (agent: number): Program<number> => run('delete from issue_count where agent = ?', agent)

/** Deletes all counts after the clock was set back: those of another clock say nothing, and lie in the future. */
export const dropAllIssueCounts = (): Program<number> => run('delete from issue_count')
