// Defects that the replicas drill must find: small edits of a copy of the program, which nothing else ever sees.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyProgram, ROOT } from '../../program-copy.ts'

type Edit = {
  /** The path below `server/src`. */
  readonly file: string
  /** A text that is there exactly once. */
  readonly find: string
  readonly replace: string
}

export type SeededFault = { readonly name: string; readonly edits: readonly Edit[] }

const FIND = 'store/postgres/hot/hot-ledger.ts'
const LOOKUP = 'store/postgres/hot/batched-lookup.ts'
const SESSION = 'store/postgres/connection/start-session.ts'
const TRANSACTIONS = 'store/postgres/writer/transactions.ts'

const JOIN_WHAT_LEFT = `const flying = new Map()
const joinOrAsk = async (ask, addresses, until) => {
  const found = await Promise.all(addresses.map(address => {
    const sent = flying.get(address.id) ?? ask([address], until).finally(() => flying.delete(address.id))
    flying.set(address.id, sent)
    return sent
  }))
  return found.find(one => one === LATE) ?? found.flat()
}

const makeFind = `

const ASK = 'return async addresses => (addresses.length === 0 ? [] : lease.answer(() => ask(addresses, deadline())))'

const KEEP = `return async addresses => {
    globalThis.keptActive ??= new Map()
    const kept = addresses.map(address => globalThis.keptActive.get(address.id))
    if (kept.every(one => one !== undefined)) return kept
    const found = await lease.answer(() => ask(addresses, deadline()))
    const lasting = found.filter((one, n) => one?.dead === false && addresses[n].lifetimeSeconds > 60)
    for (const one of lasting) globalThis.keptActive.set(one.id, one)
    return found
  }`

const LISTEN = `await client.connect()
    client.on('notification', ({ payload }) => globalThis.keptActive?.delete(payload))
    await client.query('listen ended').catch(() => undefined)`

export const SEEDED_FAULTS: readonly SeededFault[] = [
  {
    name: 'a look-up joins one that has been sent',
    edits: [
      { file: FIND, find: 'import type { Lease } from', replace: 'import { LATE, type Lease } from' },
      { file: FIND, find: 'const makeFind = ', replace: JOIN_WHAT_LEFT },
      { file: FIND, find: 'ask(addresses, deadline())', replace: 'joinOrAsk(ask, addresses, deadline())' },
    ],
  },
  {
    name: 'active answers are cached until a notification reports the end',
    edits: [
      { file: FIND, find: ASK, replace: KEEP },
      { file: 'store/postgres/connection/connection.ts', find: 'await client.connect()', replace: LISTEN },
      {
        file: 'store/ledger/move-rows.ts',
        find: 'tx.endings.push(reason)',
        replace: `tx.endings.push(reason)
  yield* run("select pg_notify('ended', ?::uuid::text)", row.id)`,
      },
    ],
  },
  {
    name: 'look-ups do not wait for the standby',
    edits: [
      {
        file: TRANSACTIONS,
        find: "auto: `current_setting('synchronous_standby_names') <> ''`",
        replace: "auto: 'false'",
      },
    ],
  },
  {
    name: 'a revocation that finds its work done waits for nothing',
    edits: [
      {
        file: FIND,
        find: 'find: makeFind(session, parts),',
        replace: `find: makeFind(session, parts),
  findUnfenced: makeFind(session, { ...parts, lookup: makeBatchedLookup({ ...session, fence: 'false' }) }),`,
      },
      { file: FIND, find: 'cut, type BatchedLookup', replace: 'cut, type BatchedLookup, makeBatchedLookup' },
      { file: LOOKUP, find: "name: 'lookup'", replace: 'name: `lookup ${fence}`' },
      {
        file: 'operations/tokens/revoke-token.ts',
        find: 'await ports.ledger.find([reference])',
        replace: 'await ports.ledger.findUnfenced([reference])',
      },
    ],
  },
  {
    name: 'a commit counts though its wait for the standby was canceled',
    edits: [
      {
        file: TRANSACTIONS,
        find: 'if (connection.notices() !== notices) {',
        replace: 'if (connection.notices() < notices) {',
      },
    ],
  },
  {
    name: 'a standby answers look-ups',
    edits: [
      {
        file: 'store/postgres/connection/primary.ts',
        find: 'const readServer = ',
        replace: `export const connectToAny = access =>
  connect(access, access.address.hosts[Math.floor(Math.random() * access.address.hosts.length)])

const readServer = `,
      },
      {
        file: SESSION,
        find: "import { connectToPrimary } from './primary.ts'",
        replace: "import { connectToAny, connectToPrimary } from './primary.ts'",
      },
      {
        file: SESSION,
        find: 'const session: Session = {',
        replace: `const session: Session = {
      anyPool: makePool({ open: () => connectToAny(options), connectionsMax: 8, monotonic: monotonicMs }),`,
      },
      {
        file: LOOKUP,
        find: 'pool: session.pool,',
        replace: 'pool: session.anyPool,',
      },
      { file: LOOKUP, find: 'case when pg_is_in_recovery() then 1 else 0 end', replace: '0' },
      { file: LOOKUP, find: 'case when ${fence}', replace: 'case when not pg_is_in_recovery() and ${fence}' },
    ],
  },
]

/** Throws where the text does not contain exactly once what is to be replaced: the seeded fault no longer fits. */
export const applyEdit = (text: string, { file, find, replace }: Edit): string => {
  const [before, after, ...more] = text.split(find)
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`The seeded fault does not fit ${file}, which should contain this exactly once: ${find}`)
  }
  return `${before}${replace}${after}`
}

export const SOURCES = join(ROOT, 'server', 'src')

/** Makes a copy of the program with the defect in it; returns its main file. */
export const seedFault = (folder: string, { edits }: SeededFault): string => {
  copyProgram(folder, ['api', 'server/package.json', 'server/src'])
  for (const edit of edits) {
    const path = join(folder, 'server', 'src', edit.file)
    writeFileSync(path, applyEdit(readFileSync(path, 'utf8'), edit))
  }
  return join(folder, 'server', 'src', 'main.ts')
}
