// The same incidents where two processes on one PostgreSQL database answer the page, behind a load balancer: what one of them did the
// other knows at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SKIPPED } from '../../../testkit/console/browser.ts'
import { idOf } from '../../../testkit/console/start-dev.ts'
import { type Replica, type RunningReplicas, startReplicas } from '../../../testkit/console/start-replicas.ts'
import { type AdminConsole, useConsoleOf } from '../admin-console.ts'
import { askToStopRunaway, endTokensOfTeam, LEAK, seeWhatEndedOfTeam, seeWhoEnded, stopRunaway } from '../stories.ts'

let { service, page, complaints, open } = {} as AdminConsole<RunningReplicas>
useConsoleOf(startReplicas, opened => {
  ;({ service, page, complaints, open } = opened)
})

/** What a resource server that asks this replica hears of each token. */
const introspectAt = async ({ url }: Replica, apiKey: string, tokens: readonly string[]): Promise<readonly unknown[]> =>
  Promise.all(
    tokens.map(async token => {
      const [headers, body] = [{ 'x-api-key': apiKey }, new URLSearchParams({ token })]
      const answer = await fetch(`${url}/oauth/introspect/v2`, { method: 'POST', headers, body })
      return ((await answer.json()) as { readonly active: unknown }).active
    }),
  )

test('a runaway agent is stopped at one replica, and the other says at once that none of its tokens is active', {
  skip: SKIPPED,
}, async () => {
  const [first, second] = service.replicas
  const key = { name: 'orders', permissions: ['tokens:introspect'] }
  const { api_key: apiKey } = (await service.ask('POST', '/api/v1/api-keys', key)) as { readonly api_key: string }
  service.sendTo(first, second)
  const tokens = await askToStopRunaway({ service, page, open }, 'runs away')
  // Both know the tokens from now on, as they would after hours.
  for (const replica of service.replicas) {
    assert.deepEqual(await introspectAt(replica, apiKey, tokens), [true, true, true])
  }
  service.sendTo(first)
  const stopped = page.waitForResponse(
    response => response.url().endsWith('/disable') && response.request().postData()?.includes('dry_run') !== true,
  )
  const known = stopped.then(() => introspectAt(second, apiKey, tokens))
  await stopRunaway(page, 'runs away')
  assert.deepEqual(await known, [false, false, false])
  assert.deepEqual(await introspectAt(first, apiKey, tokens), [false, false, false])
  service.sendTo(second)
  await open('')
  await page.getByRole('row', { name: 'runs away' }).getByText('disabled').waitFor()
  assert.deepEqual(complaints, [])
})

test('every token of a team ends in three clicks at one replica, and the history of the other shows those of that revocation', {
  skip: SKIPPED,
}, async () => {
  const [first, second] = service.replicas
  service.sendTo(first)
  const other = await endTokensOfTeam({ service, page, open }, 'payments')
  service.sendTo(second)
  await seeWhatEndedOfTeam({ service, page }, other)
  // As a colleague opens it to whom the address was sent.
  await page.reload()
  await page.locator('.records tbody tr[tabindex]').nth(1).waitFor()
  assert.equal(await page.locator('.records tbody tr[tabindex]').count(), 2)
  assert.deepEqual(complaints, [])
})

test('a token that was ended at one replica is explained by the other, pasted as its text and as its id', {
  skip: SKIPPED,
}, async () => {
  const [first, second] = service.replicas
  service.sendTo(first)
  const token = await service.issue(await service.makeAgent('leaky'))
  await service.ask('POST', `/api/v1/tokens/${idOf(token)}/revoke`, { note: LEAK })
  service.sendTo(second)
  for (const pasted of [token, idOf(token)]) {
    await open('')
    await page.keyboard.press('/')
    await page.keyboard.insertText(pasted)
    // An id may be that of something else: it is chosen.
    if (pasted !== token) await page.keyboard.press('Enter')
    await seeWhoEnded(page)
  }
  assert.deepEqual(complaints, [])
})
