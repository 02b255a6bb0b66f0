// How mintmark import sends what it planned: in requests that the service takes, and what it says when one of them fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IMPORT_BYTES_MAX, IMPORTED_AGENTS_MAX } from '../../../../api/values/limits.ts'
import { importAgents } from '../../../src/cli/imports/import-agents.ts'
import { planDocument } from '../../../src/cli/imports/plan-document.ts'
import type { Api } from '../../../src/cli/remote/api.ts'
import { CommandFailed } from '../../../src/cli/terminal/exit.ts'
import { keycloakClient } from '../../../../testkit/callers/foreign-exports.ts'
import { importsInto } from '../../../../testkit/callers/imports.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const SETTINGS = { scope: ['db:read'], defaultScope: null, scopeMap: new Map<string, readonly string[]>() }
const COUNT = 2 * IMPORTED_AGENTS_MAX + 1

const documentOf = (count: number): string =>
  JSON.stringify([
    { clientId: 'passed-over', publicClient: true },
    ...Array.from({ length: count }, (_, n) => keycloakClient(`client-${n}`, { secret: null })),
  ])

const service = useService()

test('a document of more clients than a request may hold is imported in several, and joined in its order', async () => {
  const document: unknown = JSON.parse(documentOf(COUNT))
  const rows = await importsInto(service).importing({ source: 'keycloak', document })
  assert.equal(rows.length, COUNT + 1)
  assert.deepEqual([rows[0]?.['outcome'], rows[0]?.['reason']], ['skipped', 'public_client'])
  for (const [n, row] of rows.slice(1).entries()) {
    assert.deepEqual([row['client_id'], row['outcome']], [`client-${n}`, 'imported'])
  }
  assert.equal(countRows(service.storeFile, 'agent'), COUNT)
})

/** An API that answers so many requests as an import does, and notes all of them. */
const answering = (requests: number) => {
  const asked: { readonly agents: readonly { readonly client_id: string }[] }[] = []
  const api: Pick<Api, 'call'> = {
    call: (_row, request) => {
      asked.push(('body' in request ? request.body : {}) as (typeof asked)[number])
      const { agents } = asked.at(-1) ?? { agents: [] }
      if (asked.length > requests) return Promise.reject(new CommandFailed('No answer.'))
      return Promise.resolve({ data: agents.map(({ client_id }) => ({ client_id, outcome: 'imported' })) })
    },
  }
  return { api, asked }
}

test('where a request fails the outcomes of those before it are kept, and where the first one fails there are none', async () => {
  const clients = planDocument('keycloak', documentOf(COUNT), { ...SETTINGS, resources: null })
  const { rows, failure } = await importAgents(answering(1).api, clients, false)
  assert.equal(rows.length, IMPORTED_AGENTS_MAX + 1)
  assert.equal(failure?.message, 'No answer.')
  await assert.rejects(importAgents(answering(0).api, clients, false), /No answer\./)
})

test('a signal ends an import after the request under way, and loses no secret that was answered', async () => {
  const clients = planDocument('keycloak', documentOf(COUNT), { ...SETTINGS, resources: null })
  const { api, asked } = answering(COUNT)
  const interrupted: typeof api = {
    call: async (row, request) => {
      const answer = await api.call(row, request)
      assert.equal(process.emit('SIGHUP', 'SIGHUP'), asked.length === 1)
      return answer
    },
  }
  const { rows, failure } = await importAgents(interrupted, clients, false)
  assert.deepEqual([asked.length, rows.length], [1, IMPORTED_AGENTS_MAX + 1])
  assert.match(failure?.message ?? '', /signal/)
})

test('no request is longer than the service takes', async () => {
  const resources = Array.from({ length: 64 }, (_, n) => `https://api.example/${n}/`.padEnd(512, 'x'))
  const clients = planDocument('keycloak', documentOf(COUNT), { ...SETTINGS, resources })
  const { api, asked } = answering(COUNT)
  await importAgents(api, clients, true)
  assert.equal(asked.flatMap(({ agents }) => agents).length, COUNT)
  const bytes = asked.map(body => Buffer.byteLength(JSON.stringify(body)))
  assert.ok(bytes.every(one => one <= IMPORT_BYTES_MAX) && bytes.length < COUNT / 20, bytes.join())
})
