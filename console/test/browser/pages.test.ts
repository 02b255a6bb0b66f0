// Every table goes on past its first page, to its last record.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { useAdminConsole } from '../admin-console.ts'
import { SKIPPED } from '../../../testkit/console/browser.ts'
import type { Agent, RunningDev } from '../../../testkit/console/start-dev.ts'

/** More than a page, which has 100. */
const MANY = 120

let service: RunningDev
let page: Page
let open: (path: string) => Promise<void>
let complaints: string[]

useAdminConsole(opened => ({ service, page, open, complaints } = opened))

const times = async (make: (n: number) => Promise<unknown>): Promise<void> => {
  for (let n = 0; n < MANY; n += 1) await make(n)
}

const reportVerifiers = async (): Promise<void> => {
  const body = { name: 'followed', permissions: ['tokens:introspect'] }
  const { api_key: key } = (await service.ask('POST', '/api/v1/api-keys', body)) as { readonly api_key: string }
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const feed = `${service.baseUrl}/oauth/revocation-feed`
  const { epoch, position } = (await (await fetch(feed, { headers })).json()) as Record<string, unknown>
  await times(async n => {
    const report = JSON.stringify({ name: `verifier-${n}`, epoch, position })
    const { status } = await fetch(`${feed}/positions`, { method: 'POST', headers, body: report })
    assert.equal(status, 204)
  })
}

const fill = async (): Promise<Agent> => {
  const agent = await service.makeAgent('many')
  await times(() => service.issue(agent))
  await service.ask('POST', '/api/v1/revocations', { agent_id: agent.agent_id, note: 'the first half' })
  await times(() => service.issue(agent))
  await times(n => service.makeAgent(`agent ${n}`))
  await times(n => service.ask('POST', '/api/v1/api-keys', { name: `key ${n}`, permissions: ['tokens:introspect'] }))
  await reportVerifiers()
  return agent
}

let filled: Promise<Agent> | undefined

/** Scrolls on until the table says how many rows it has in all, and returns that without its head. */
const countToTheEnd = async (): Promise<number> => {
  const table = page.getByRole('table').first()
  await table.waitFor()
  const read = async (): Promise<number> => Number(await table.getAttribute('aria-rowcount'))
  while ((await read()) < 0) {
    await page.evaluate(
      `for (const place of document.querySelectorAll('.records')) place.scrollTop = place.scrollHeight`,
    )
    await page.waitForTimeout(20)
  }
  return (await read()) - 1
}

for (const [screen, path, least] of [
  ['Tokens', (agent: Agent) => `tokens?agent_id=${agent.agent_id}`, MANY],
  ['History', (agent: Agent) => `history?agent_id=${agent.agent_id}`, MANY],
  ['Agents', () => 'agents', MANY],
  ['API keys', () => 'api-keys', MANY],
  ['Verifiers', () => 'verifiers', MANY],
  ['Audit', () => 'audit', 2 * MANY],
] as const) {
  test(`${screen} shows more than its first page, down to the last record`, { skip: SKIPPED }, async () => {
    await open(path(await (filled ??= fill())))
    const count = await countToTheEnd()
    assert.ok(count >= least, `${count} of at least ${least}`)
    assert.deepEqual(complaints, [])
  })
}
