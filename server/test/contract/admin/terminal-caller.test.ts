// The user at the terminal calls from the terminal alone. No request over the network is ever taken for theirs.
import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { test } from 'node:test'
import { countRows } from '../../../../testkit/stores/store-file.ts'
import { get, send } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Description = { readonly paths: Readonly<Record<string, Readonly<Record<string, { security?: unknown[] }>>>> }

const ID = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'

/** What an attacker may try who knows how the terminal is recognized. */
const PRETENCES: readonly Readonly<Record<string, string>>[] = [
  {},
  { host: 'localhost:80', 'user-agent': 'lightMyRequest' },
  { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-user': userInfo().username },
  { authorization: `Bearer cli ${userInfo().username}` },
  { authorization: 'Basic Y2xpOmNsaQ==' },
  { 'x-api-key': 'cli' },
]

const service = useService()

const entriesOfTerminal = (): number => countRows(service.storeFile, `audit where actor like '%cli%'`)

test('no operation of the administration takes a request without a credential for that of the terminal', async () => {
  await service.createAgent()
  const known = entriesOfTerminal()
  assert.ok(known > 0)
  const { paths } = (await get(service, '/openapi.json')).json as Description
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security = [] }]) => security.length > 0)
      .map(([method]) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, ID) })),
  )
  assert.ok(operations.length > 20)
  for (const { method, path } of operations) {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }
    for (const pretence of PRETENCES) {
      const headers = { ...(method !== 'GET' && { 'content-type': 'application/json' }), ...pretence }
      const { status } = await send(service, { method, path, headers, ...body })
      assert.ok([400, 401].includes(status), `${method} ${path} ${JSON.stringify(pretence)}: ${status}`)
    }
  }
  assert.equal(entriesOfTerminal(), known)
})
