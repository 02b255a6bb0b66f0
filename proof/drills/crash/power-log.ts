// Reads the log of power-shim.c: what a process did to the files of one folder, in order.

export type LogRecord =
  | { readonly kind: 'started' }
  | { readonly kind: 'opened' | 'created' | 'folder_opened'; readonly handle: number; readonly name: string }
  | { readonly kind: 'wrote'; readonly handle: number; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncated'; readonly handle: number; readonly size: number }
  | { readonly kind: 'sync_began' | 'synced'; readonly handle: number; readonly sync: number }
  | { readonly kind: 'unlinked'; readonly name: string }
  | { readonly kind: 'renamed'; readonly from: string; readonly to: string }

const HEAD_BYTES = 24

type Raw = { readonly handle: number; readonly number: number; readonly bytes: Buffer }

const named =
  (kind: 'opened' | 'created' | 'folder_opened') =>
  ({ handle, bytes }: Raw): LogRecord => ({
    kind,
    handle,
    name: bytes.toString(),
  })

const syncing =
  (kind: 'sync_began' | 'synced') =>
  ({ handle, number }: Raw): LogRecord => ({
    kind,
    handle,
    sync: number,
  })

// By the numbers of `enum kind` in power-shim.c, from 1 on.
const READERS: readonly ((raw: Raw) => LogRecord)[] = [
  () => ({ kind: 'started' }),
  named('opened'),
  named('created'),
  named('folder_opened'),
  ({ handle, number, bytes }) => ({ kind: 'wrote', handle, offset: number, bytes }),
  ({ handle, number }) => ({ kind: 'truncated', handle, size: number }),
  syncing('sync_began'),
  syncing('synced'),
  ({ bytes }) => ({ kind: 'unlinked', name: bytes.toString() }),
  ({ bytes }) => {
    const [from = '', to = ''] = bytes.toString().split('\0')
    return { kind: 'renamed', from, to }
  },
]

/** Every whole record. The last may have been cut off by the kill: what it records was then never done. */
export const readPowerLog = (log: Buffer): readonly LogRecord[] => {
  const records: LogRecord[] = []
  for (let at = 0; at + HEAD_BYTES <= log.length; ) {
    const kind = log.readUInt32LE(at)
    const length = Number(log.readBigUInt64LE(at + 16))
    const end = at + HEAD_BYTES + length
    if (end > log.length) break
    const reader = READERS[kind - 1]
    if (reader === undefined) throw new Error(`The log holds a record of kind ${kind} at ${at}.`)
    const bytes = log.subarray(at + HEAD_BYTES, end)
    records.push(reader({ handle: log.readUInt32LE(at + 4), number: Number(log.readBigUInt64LE(at + 8)), bytes }))
    at = end
  }
  return records
}
