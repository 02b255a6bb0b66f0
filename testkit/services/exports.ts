// A service whose live tokens are what a test says, and exports of them that are read when the test says so.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { TestContext } from 'node:test'
import type { Page, PageRequest, TokenFilters, TokenRecord } from '../../server/src/domain/lists/page.ts'
import { monotonicMs } from '../../server/src/store/clocks.ts'
import { IN_TIME, startServer, type TestServer } from './test-server.ts'

type Pages = (request: PageRequest<TokenFilters>, number: number) => Promise<Page<TokenRecord>>

export const TOKENS_EXPORT = '/api/v1/exports/tokens'
const AGENT_ID = '0b8dfb6c-7a54-4f0e-9f0b-5d5a4a2f9c01'

export const recordOf = (n: number, audience = 'https://api.example'): TokenRecord => ({
  id: `01a1fd70-f1c0-7b89-a8f8-${String(n).padStart(12, '0')}`,
  agentId: AGENT_ID,
  clientId: 'client',
  credentialId: 'b9a1f3c2-2c1b-4b7e-8f57-6f1f0c7d3e02',
  scope: 'db:read',
  audience: [audience],
  kid: 'kid',
  issuedAt: 0,
  expiresAt: 1,
  subject: { agentId: AGENT_ID },
  actors: [],
  ancestors: [],
})

export const NEXT = { at: 0, id: recordOf(1).id }
export const pageOf = (records: readonly TokenRecord[], next: Page<TokenRecord>['next'] = NEXT): Page<TokenRecord> => ({
  records,
  next,
  examined: records.length,
})

/** A page larger than the system takes for a connection that nobody reads. */
export const LARGE = pageOf(Array.from({ length: 250 }, (_, n) => recordOf(n, 'x'.repeat(65_536))))

/** A service whose live tokens are these pages; `read` counts them, `pass` lets time pass for deadlines. */
export const makeExportWorld = async (t: TestContext, pages: Pages) => {
  let [read, now] = [0, monotonicMs()]
  const service = await startServer({
    timing: IN_TIME,
    break: ports => ({
      ...ports,
      ledger: { ...ports.ledger, listLive: asked => pages(asked, (read += 1)) },
      // It stands until the test lets time pass: how slow a machine is makes no difference.
      monotonic: () => now,
    }),
  })
  t.after(() => service.close())
  const { id, key } = await service.createApiKey('tokens:read')
  const pass = (ms: number): void => {
    now += ms
  }
  return { service, id, headers: { 'x-api-key': key }, read: () => read, pass }
}

type Headers = Readonly<Record<string, string>>

/** The beginning of an export, of which nothing has been read yet. */
export const openExport = async (service: TestServer, headers: Headers): Promise<IncomingMessage> => {
  const { hostname, port } = new URL(service.baseUrl)
  const asked = request({ hostname, port, path: TOKENS_EXPORT, headers, agent: false })
  asked.on('error', () => undefined)
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 200)
  return response
}

/** Reads to the end; `isWhole` where the end was said. */
export const readExport = async (
  response: IncomingMessage,
): Promise<{ readonly lines: number; readonly isWhole: boolean }> => {
  let text = ''
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  response.on('error', () => undefined)
  // Not once(): a connection that breaks is what is waited for here.
  if (!response.closed) await new Promise(resolve => response.once('close', resolve))
  return { lines: text.split('\n').length - 1, isWhole: response.complete }
}
