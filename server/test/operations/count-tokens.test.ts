// Around the store: a count is one page of the longest kind, and exact where nothing follows it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAGE_RECORDS_MAX } from '../../../api/values/lists.ts'
import type { Administrator } from '../../src/domain/caller.ts'
import type { Page, TokenRecord } from '../../src/domain/lists/page.ts'
import { makeSecrets } from '../../src/keys/clients/secrets.ts'
import { countTokens } from '../../src/operations/tokens/read-tokens.ts'
import { NO_TOKEN_FILTERS } from '../../../testkit/stores/store.ts'
import type { TokenLedger } from '../../src/ports/ports.ts'

const secrets = makeSecrets({ bytes: length => Buffer.alloc(length) })

const FILTERS = { ...NO_TOKEN_FILTERS, owner: null, labels: null, agentName: null }

const CALLER: Administrator = { kind: 'cli', user: 'root' }

const TOKEN: TokenRecord = {
  id: '019aa5a0-6f3c-7c1e-9d0f-2b1a7c3e9a10',
  agentId: 'a',
  clientId: 'a',
  credentialId: 'c',
  scope: 'db:read',
  audience: [],
  kid: 'k',
  issuedAt: 0,
  expiresAt: 300,
  subject: { agentId: 'a' },
  actors: [],
  ancestors: [],
}

/** The count of so many live tokens. */
const count = (tokens: number) => {
  const listLive: TokenLedger['listLive'] = ({ limit }) => {
    const records = Array.from({ length: Math.min(tokens, limit) }, () => TOKEN)
    const page: Page<TokenRecord> = { records, next: tokens > limit ? { at: 0, id: TOKEN.id } : null, examined: 0 }
    return Promise.resolve(page)
  }
  const ledger = { listLive } as TokenLedger // the one method that a count calls
  return countTokens({ secrets, ledger }, CALLER, FILTERS)
}

test('a count is exact up to a page, and beyond it says that there are at least so many', async () => {
  for (const tokens of [0, PAGE_RECORDS_MAX - 1, PAGE_RECORDS_MAX]) {
    assert.deepEqual(await count(tokens), { count: tokens, isExact: true })
  }
  assert.deepEqual(await count(PAGE_RECORDS_MAX + 1), { count: PAGE_RECORDS_MAX, isExact: false })
})
