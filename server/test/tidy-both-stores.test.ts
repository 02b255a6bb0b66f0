// Every test of the contract and of the store runs on both stores, or it is said here why not.
import { test } from 'node:test'
import { nothing, readFiles } from '../../testkit/source-files.ts'

const SQLITE = "SQLite's own machinery"
const COUNTERPART = 'its counterpart is in server/test/postgres'
const WIRE = 'of the wire and the keys, whichever store is behind them'
const NO_STORE = 'it opens no store'
const LONG = 'minutes of simulated time; what the store does there is in key-keeper and key-acts'

const ON_ONE_STORE: Readonly<Record<string, string>> = {
  'contract/bad-input': WIRE,
  'contract/client-assertion-weaknesses': WIRE,
  'contract/client-certificate-header': WIRE,
  'contract/client-key-address': WIRE,
  'contract/constant-bodies': WIRE,
  'contract/dpop-settings': WIRE,
  'contract/error-reference': WIRE,
  'contract/every-endpoint': WIRE,
  'contract/front-page': WIRE,
  'contract/hostile-bytes': WIRE,
  'contract/known-weak-keys': WIRE,
  'contract/mcp-clients': WIRE,
  'contract/openapi': WIRE,
  'contract/openapi-document': WIRE,
  'contract/pipelining': WIRE,
  'contract/provider-health': WIRE,
  'contract/provider-key-flood': WIRE,
  'contract/publish-metadata': WIRE,
  'contract/real-clients': WIRE,
  'contract/repeated-headers': WIRE,
  'contract/resumed-sessions': WIRE,
  'contract/slow-connections': WIRE,
  'contract/watch-answers': NO_STORE,
  'contract/weaknesses': WIRE,
  'contract/endings-order': 'the same order of ends as in store/endings-order, which runs on both',
  'contract/key-rotation': LONG,
  'contract/signing-keys': LONG,
  'store/backup': `${SQLITE}; ${COUNTERPART}: backup-commands`,
  'store/canaries': 'the bytes of a file',
  'store/clock': `${SQLITE}; ${COUNTERPART}: commands`,
  'store/connection': SQLITE,
  'store/drive': SQLITE,
  'store/late-inserts': `${SQLITE}; ${COUNTERPART}: promises`,
  'store/migrations': `${SQLITE}; ${COUNTERPART}: migrations`,
  'store/restore': `${SQLITE}; ${COUNTERPART}: backup-commands`,
  'store/retention': `${SQLITE}: rows go, not partitions; ${COUNTERPART}: retention`,
  'store/seals': `${SQLITE}: an image of the file; ${COUNTERPART}: seals`,
  'store/seq-memory': NO_STORE,
  'store/serving-lock': SQLITE,
  'store/writer': SQLITE,
  'store/writer-queue': SQLITE,
}

const namesIn = (folder: string): readonly string[] =>
  readFiles(`server/test/${folder}/*.test.ts`).map(({ path }) => path.replace(/^server\/test\/(.*)\.test\.ts$/, '$1'))

const onBoth = (name: string): boolean =>
  ON_POSTGRES.some(({ text }) => text.includes(`'${name.replace(/^\w+\//, '')}'`))

const ON_POSTGRES = readFiles('server/test/postgres/*.test.ts')

test('a test of the contract or of the store runs on PostgreSQL too, unless it is said why not', () => {
  const names = [...namesIn('contract'), ...namesIn('store')]
  nothing(
    names.filter(name => !(name in ON_ONE_STORE) && !onBoth(name)),
    'Name it in a file of server/test/postgres.',
  )
  const gone = Object.keys(ON_ONE_STORE).filter(name => !names.includes(name))
  nothing(gone, 'There is no such test any more.')
})
