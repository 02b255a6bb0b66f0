// A folder on a disk that keeps only what was synced: replays a log of changes, and at a power cut lets each change that
// no sync covers survive, vanish, tear at a sector or come out of order.
import type { LogRecord } from './power-log.ts'
import type { Random } from '../random.ts'

/** Names and contents. */
export type Files = ReadonlyMap<string, Buffer>

type Content = { bytes: Buffer; size: number }

/** `at` is the record's place in the log. */
type Change =
  | { readonly at: number; readonly offset: number; readonly bytes: Buffer }
  | { readonly at: number; readonly size: number }

type Inode = { readonly cached: Content; readonly durable: Content; pending: Change[] }

type Entry = { readonly at: number; readonly name: string; readonly inode: Inode | undefined }

/** Directory entries: what programs see, what is durable, and the changes in between. */
type Folder = { readonly cached: Map<string, Inode>; readonly durable: Map<string, Inode>; pending: Entry[] }

/** What became of the changes that no sync covered. */
export type Losses = { kept: number; dropped: number; torn: number; reordered: number }

type SimulatedDisk = {
  /** What a program that starts now would read: the page cache. */
  readonly seen: () => Files
  /** How many changes to a file no sync covers. */
  readonly unsyncedIn: (name: string) => number
  /** What is found when the power is back. */
  readonly cut: (random: Random) => { readonly files: Files; readonly losses: Losses }
}

const SECTOR_BYTES = 512

const contentOf = (bytes: Buffer): Content => ({ bytes: Buffer.from(bytes), size: bytes.length })

const reserve = (content: Content, size: number): void => {
  if (size > content.bytes.length) {
    const larger = Buffer.alloc(Math.max(size, 2 * content.bytes.length))
    content.bytes.copy(larger, 0, 0, content.size)
    content.bytes = larger
  }
}

const apply = (content: Content, change: Change): void => {
  if ('size' in change) {
    reserve(content, change.size)
    if (change.size < content.size) content.bytes.fill(0, change.size, content.size)
    content.size = change.size
  } else {
    const end = change.offset + change.bytes.length
    reserve(content, end)
    change.bytes.copy(content.bytes, change.offset)
    content.size = Math.max(content.size, end)
  }
}

const setEntry = (entries: Map<string, Inode>, { name, inode }: Entry): void => {
  if (inode === undefined) entries.delete(name)
  else entries.set(name, inode)
}

const filesOf = (entries: ReadonlyMap<string, Inode>, which: 'cached' | 'durable'): Files =>
  new Map(Array.from(entries, ([name, inode]) => [name, inode[which].bytes.subarray(0, inode[which].size)]))

const FOLDER = Symbol('the folder itself')

type Target = Inode | typeof FOLDER

const change = (folder: Folder, entry: Entry): void => {
  setEntry(folder.cached, entry)
  folder.pending.push(entry)
}

/** A sync makes durable what came before its beginning. */
const settle = (folder: Folder, target: Target, began: number): void => {
  if (target === FOLDER) {
    for (const entry of folder.pending) if (entry.at < began) setEntry(folder.durable, entry)
    folder.pending = folder.pending.filter(({ at }) => at >= began)
  } else {
    for (const done of target.pending) if (done.at < began) apply(target.durable, done)
    target.pending = target.pending.filter(({ at }) => at >= began)
  }
}

const makePlayer = (folder: Folder) => {
  const handles = new Map<number, Target>()
  const syncs = new Map<number, number>()
  const targetOf = (handle: number): Target => {
    const target = handles.get(handle)
    if (target === undefined) throw new Error(`The log names handle ${handle}, which was not opened.`)
    return target
  }
  const onFile = (handle: number, done: Change): void => {
    const inode = targetOf(handle)
    if (inode === FOLDER) throw new Error('The log has a write to a folder.')
    apply(inode.cached, done)
    inode.pending.push(done)
  }
  const open = (handle: number, name: string): void => {
    const inode = folder.cached.get(name)
    // Without O_CREAT an open may find nothing; nothing is done with its handle then.
    if (inode !== undefined) handles.set(handle, inode)
  }
  const rename = (at: number, from: string, to: string): void => {
    const inode = folder.cached.get(from)
    change(folder, { at, name: to, inode })
    change(folder, { at, name: from, inode: undefined })
  }
  return (record: LogRecord, at: number): void => {
    switch (record.kind) {
      case 'started':
        handles.clear()
        syncs.clear()
        return
      case 'opened':
        return open(record.handle, record.name)
      case 'created':
        change(folder, { at, name: record.name, inode: newInode(Buffer.alloc(0)) })
        return open(record.handle, record.name)
      case 'folder_opened':
        return void handles.set(record.handle, FOLDER)
      case 'wrote':
        return onFile(record.handle, { at, offset: record.offset, bytes: record.bytes })
      case 'truncated':
        return onFile(record.handle, { at, size: record.size })
      case 'sync_began':
        return void syncs.set(record.sync, at)
      case 'synced':
        return settle(folder, targetOf(record.handle), syncs.get(record.sync) ?? at)
      case 'unlinked':
        return change(folder, { at, name: record.name, inode: undefined })
      case 'renamed':
        return rename(at, record.from, record.to)
    }
  }
}

const newInode = (bytes: Buffer): Inode => ({ cached: contentOf(bytes), durable: contentOf(bytes), pending: [] })

/** What the cut does to unsynced changes; the mildest and the harshest are cuts of their own. */
type Outcome = 'all lost' | 'all kept' | 'a prefix kept' | 'each by chance'

const OUTCOMES: readonly Outcome[] = [
  'all lost',
  'all lost',
  'all kept',
  'a prefix kept',
  'each by chance',
  'each by chance',
]

const survivors = <T>(changes: readonly T[], outcome: Outcome, random: Random): readonly T[] => {
  if (outcome === 'all lost') return []
  if (outcome === 'all kept') return changes
  return outcome === 'a prefix kept'
    ? changes.slice(0, random.below(changes.length + 1))
    : changes.filter(() => random.chance(0.5))
}

const TEAR_SHARE = 0.4

// Sectors of the file, not of the write: a write that begins within a sector tears where that sector ends.
const tear = (write: Change, random: Random): readonly Change[] => {
  if ('size' in write) return [write]
  const parts: Change[] = []
  const end = write.offset + write.bytes.length
  for (let from = write.offset; from < end; ) {
    const to = Math.min(end, (Math.floor(from / SECTOR_BYTES) + 1) * SECTOR_BYTES)
    const bytes = write.bytes.subarray(from - write.offset, to - write.offset)
    if (random.chance(0.5)) parts.push({ at: write.at, offset: from, bytes })
    from = to
  }
  return parts
}

const shuffle = <T>(values: readonly T[], random: Random): T[] => {
  const shuffled: T[] = []
  for (const value of values) shuffled.splice(random.below(shuffled.length + 1), 0, value)
  return shuffled
}

const cutInode = (inode: Inode, outcome: Outcome, losses: Losses, random: Random): void => {
  const kept = survivors(inode.pending, outcome, random)
  losses.kept += kept.length
  losses.dropped += inode.pending.length - kept.length
  const byChance = outcome === 'each by chance'
  const reorders = byChance && kept.length > 1 && random.chance(0.5)
  if (reorders) losses.reordered += kept.length
  for (const survivor of reorders ? shuffle(kept, random) : kept) {
    const tears = byChance && random.chance(TEAR_SHARE)
    if (tears) losses.torn += 1
    for (const part of tears ? tear(survivor, random) : [survivor]) apply(inode.durable, part)
  }
  inode.pending = []
}

/** Plays the log on files that are durable. The disk can be cut once. */
export const playLog = (files: Files, records: readonly LogRecord[]): SimulatedDisk => {
  const inodes = (): [string, Inode][] => Array.from(files, ([name, bytes]) => [name, newInode(bytes)])
  const entries = inodes()
  const folder: Folder = { cached: new Map(entries), durable: new Map(entries), pending: [] }
  records.forEach(makePlayer(folder))
  return {
    seen: () => filesOf(folder.cached, 'cached'),
    unsyncedIn: name => folder.cached.get(name)?.pending.length ?? 0,
    cut: random => {
      const losses = { kept: 0, dropped: 0, torn: 0, reordered: 0 }
      const outcome = random.pick(OUTCOMES)
      const changed = new Set([...folder.cached.values(), ...folder.durable.values()])
      for (const inode of changed) cutInode(inode, outcome, losses, random)
      for (const entry of survivors(folder.pending, outcome, random)) setEntry(folder.durable, entry)
      return { files: filesOf(folder.durable, 'durable'), losses }
    },
  }
}
