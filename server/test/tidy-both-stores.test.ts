// Every test of the contract and of the store runs on both stores, or it is said here why not.
import { test } from 'node:test'
import { nothing, readFiles } from '../../testkit/sources/source-files.ts'

const SQLITE = "SQLite's own machinery"
const COUNTERPART = 'its counterpart is in server/test/postgres'
const WIRE = 'of the wire and the keys, whichever store is behind them'
const QUEUED = 'signatures and secrets wait for their turn before a store is asked, whichever it is'
const NO_STORE = 'it opens no store'
const LONG = 'minutes of simulated time; what the store does there is in key-scheduler and key-acts'

const ON_ONE_STORE: Readonly<Record<string, string>> = {
  'contract/wire/answer-deadline': WIRE,
  'contract/wire/bad-input': WIRE,
  'contract/clients/client-assertion-weaknesses': WIRE,
  'contract/clients/client-certificate-header': WIRE,
  'contract/clients/client-key-address': WIRE,
  'contract/wire/constant-bodies': WIRE,
  'contract/clients/dpop-settings': WIRE,
  'contract/wire/error-reference': WIRE,
  'contract/wire/connection-limit': WIRE,
  'contract/clients/exchange-libraries': WIRE,
  'contract/clients/failed-authentications': WIRE,
  'contract/wire/every-endpoint': WIRE,
  'contract/wire/front-page': WIRE,
  'contract/wire/hostile-bytes': WIRE,
  'contract/clients/imported-secrets-flood': QUEUED,
  'contract/clients/known-weak-keys': WIRE,
  'contract/oauth/mcp-clients': WIRE,
  'contract/oauth/mcp-relay': WIRE,
  'contract/oauth/operator-flood': QUEUED,
  'contract/wire/openapi': WIRE,
  'contract/wire/openapi-document': WIRE,
  'contract/wire/pipelining': WIRE,
  'contract/wire/checks-health': WIRE,
  'contract/wire/provider-health': WIRE,
  'contract/oauth/provider-key-flood': WIRE,
  'contract/oauth/publish-metadata': WIRE,
  'contract/oauth/real-clients': WIRE,
  'contract/wire/repeated-headers': WIRE,
  'contract/wire/request-target': WIRE,
  'contract/clients/resumed-sessions': WIRE,
  'contract/wire/slow-connections': WIRE,
  'contract/wire/watch-answers': NO_STORE,
  'contract/oauth/revocation-feed-followers': WIRE,
  'contract/oauth/revocation-feed-stream': WIRE,
  'contract/oauth/weaknesses': WIRE,
  'contract/admin/access':
    'who may is decided before a store is asked: that callers are found is tried with api-keys and operators',
  'contract/admin/endings-order': 'the same order of ends as in store/endings-order, which runs on both',
  'contract/admin/key-rotation': LONG,
  'contract/admin/signing-keys': LONG,
  'store/offline/backup': `${SQLITE}; ${COUNTERPART}: backup-commands`,
  'store/audit/canaries': 'the bytes of a file',
  'store/sqlite/clock': `${SQLITE}; ${COUNTERPART}: commands`,
  'store/sqlite/connection': SQLITE,
  'store/sqlite/run-program': SQLITE,
  'store/sqlite/migrations': `${SQLITE}; ${COUNTERPART}: migrations`,
  'store/offline/restore': `${SQLITE}; ${COUNTERPART}: backup-commands`,
  'store/ledger/retention': `${SQLITE}: rows go, not partitions; ${COUNTERPART}: retention`,
  'store/audit/seal-chain': NO_STORE,
  'store/audit/seals': `${SQLITE}: an image of the file; ${COUNTERPART}: seals`,
  'store/sqlite/version-keyed-cache': NO_STORE,
  'store/sqlite/serving-lock': SQLITE,
  'store/usage/usage-counter': NO_STORE,
  'store/usage/use-counter': NO_STORE,
  'store/feed/position-reports': NO_STORE,
  'store/repositories/unknown-clients': 'the statements of both stores, which it runs on a file',
  'store/signing-keys/key-supply': NO_STORE,
  'store/sqlite/writer': SQLITE,
  'store/sqlite/writer-queue': SQLITE,
}

const namesIn = (folder: string): readonly string[] =>
  readFiles(`server/test/${folder}/**/*.test.ts`).map(({ path }) =>
    path.replace(/^server\/test\/(.*)\.test\.ts$/, '$1'),
  )

/** All that the files of server/test/postgres/both-stores name: `['contract/admin', ['agents', …]]`. */
const ON_POSTGRES = new Set(
  readFiles('server/test/postgres/both-stores/*.test.ts').flatMap(({ text }) =>
    [...text.matchAll(/'((?:contract|store)\/[\w-]+)',\s*\[([^\]]*)\]/g)].flatMap(([, folder, names = '']) =>
      [...names.matchAll(/[\w-]+/g)].map(([name]) => `${folder}/${name}`),
    ),
  ),
)

test('a test of the contract or of the store runs on PostgreSQL too, unless it is said why not', () => {
  const names = [...namesIn('contract'), ...namesIn('store')]
  nothing(
    names.filter(name => !(name in ON_ONE_STORE) && !ON_POSTGRES.has(name)),
    'Name it in a file of server/test/postgres/both-stores.',
  )
  const gone = Object.keys(ON_ONE_STORE).filter(name => !names.includes(name))
  nothing(gone, 'There is no such test any more.')
})
