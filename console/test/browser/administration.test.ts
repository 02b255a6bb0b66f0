// An administrator in a browser: settings, the audit log and its seals, signing keys, verifiers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withFile } from '../../../testkit/stores/store-file.ts'
import { type AdminConsole, useAdminConsole } from '../admin-console.ts'
import { SKIPPED } from '../../../testkit/console/browser.ts'
import { idOf } from '../../../testkit/console/start-dev.ts'

let { service, page, complaints, open } = {} as AdminConsole
useAdminConsole(opened => {
  ;({ service, page, complaints, open } = opened)
})

test('settings are searched, show where each comes from, and show no secret', { skip: SKIPPED }, async () => {
  await open('settings')
  await page.getByText(/^(\d+) of \1 settings$/).waitFor()
  const setting = (name: string) =>
    page.locator('.setting').filter({ has: page.getByRole('heading', { name, exact: true }) })
  assert.match(
    await setting('PORT').innerText(),
    new RegExp(`${new URL(service.baseUrl).port}\\s+environment\\s+by default 8080\\s+1 to 65535`),
  )
  assert.match(await setting('MINTMARK_TOKEN_LIFETIME_SECONDS').innerText(), /300 seconds\s+default\s+1 to 86400/)
  assert.match(await setting('MINTMARK_KEY_ENCRYPTION_KEY').innerText(), /\nset\s+mintmark dev$/)
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('lifetime agent')
  await page.getByText(/^1 of \d+ settings$/).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('q'), 'lifetime agent')
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('')
  await page.getByRole('checkbox', { name: 'Only those that are set' }).check()
  await page.locator('.setting.default').first().waitFor({ state: 'detached' })
  assert.equal(await page.locator('.setting.not_read').count(), 0)
  assert.equal(await setting('PORT').count(), 1)
  await page.setViewportSize({ width: 390, height: 844 })
  const topOf = async (part: string): Promise<number | undefined> =>
    (await setting('PORT').locator(part).first().boundingBox())?.y
  const tops = [await topOf('h3'), await topOf(':scope > :last-child'), await topOf('h3 + p')]
  assert.deepEqual(
    tops,
    tops.toSorted((a = 0, b = 0) => a - b),
  )
  await page.setViewportSize({ width: 1280, height: 720 })
  assert.deepEqual(complaints, [])
})

type Entries = { readonly data: readonly { readonly n: number; readonly request_id: string | null }[] }

test('the audit log is verified up to its last seal, and a changed record is named', { skip: SKIPPED }, async () => {
  const { agent_id: id } = await service.makeAgent('audited')
  await service.ask('POST', `/api/v1/agents/${id}/disable`, { note: 'ran away' })
  await open(`audit?subject=${id}`)
  await page.getByRole('row', { name: 'agent.disable' }).click()
  const panel = page.getByRole('complementary', { name: /^Entry \d+$/ })
  await panel.getByRole('link', { name: 'Everything by this request' }).click()
  await page.getByRole('list', { name: 'Filters' }).getByText('Request').waitFor()
  await page.getByRole('row', { name: 'agent.disable' }).waitFor()
  assert.equal(await page.getByRole('row', { name: 'agent.create' }).count(), 0)
  const verify = page.getByRole('button', { name: 'Verify the seals' })
  await verify.click()
  await page.getByText(/^verified (Sealed up to entry \d+|Nothing is sealed yet)/).waitFor()
  const { data } = (await service.ask('GET', `/api/v1/audit?subject=${id}&kind=agent.create`)) as Entries
  const n = data[0]?.n ?? 0
  const sealed = async () =>
    ((await service.ask('GET', '/api/v1/audit/seals')) as { readonly sealed_up_to: number }).sealed_up_to
  while ((await sealed()) < n) await page.waitForTimeout(50)
  withFile(service.storeFile, db => db.prepare("update audit set note = 'not so' where n = ?").run(n))
  await verify.click()
  await page.getByRole('alert').getByText(`Broken: entry ${n} is changed.`).waitFor()
  withFile(service.storeFile, db => db.prepare('update audit set note = null where n = ?').run(n))
  await verify.click()
  await page.getByText('verified', { exact: true }).waitFor()
  assert.deepEqual(complaints, [])
})

test('the next key signs, a key is retired, and one that leaked ends with its tokens once its kid was typed', {
  skip: SKIPPED,
}, async () => {
  const agent = await service.makeAgent('signed')
  const token = await service.issue(agent)
  const kid = (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { readonly kid: string })
    .kid
  await open('keys')
  const key = page.locator('.key').filter({ hasText: kid })
  await key.getByRole('heading', { name: 'current' }).waitFor()
  await page.getByRole('button', { name: 'Rotate' }).click()
  assert.equal(await page.getByRole('dialog').locator('.command code').innerText(), 'mintmark key rotate')
  await page.getByRole('checkbox', { name: /^At once/ }).check()
  await page.getByRole('button', { name: 'Let it sign' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await key.getByRole('heading', { name: 'retained' }).waitFor()
  assert.match(await key.innerText(), /Tokens expire by\s+in \d+ min\./)
  const relay = await service.makeAgent('got it')
  await service.ask('PATCH', `/api/v1/agents/${relay.agent_id}`, {
    grant_types: ['urn:ietf:params:oauth:grant-type:token-exchange'],
    acts_for: ['*'],
    receives: [service.baseUrl],
  })
  const before = await service.exchange(relay, token)
  await service.ask('POST', `/api/v1/tokens/${idOf(before)}/revoke`, {})
  await service.exchange(relay, token)
  await page.locator('.key.current').getByRole('button', { name: 'Retire' }).click()
  await page.keyboard.press('Escape')
  await key.getByRole('button', { name: 'Compromised' }).click()
  await page.getByText('Now this ends 1 live token, with 1 that was got for them.').waitFor()
  const end = page.getByRole('button', { name: 'End it and its tokens' })
  assert.equal(await end.isDisabled(), true)
  await page.getByLabel(/^Type /).fill(kid.slice(0, 8))
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'What ended', exact: true }).click()
  const ended = page.locator('.records tbody tr[tabindex]')
  await ended.first().waitFor()
  assert.match((await ended.allInnerTexts()).join('\n'), /^(?=.*key compromise)(?=.*ancestor ended)/s)
  assert.equal(await ended.count(), 2)
  await open('keys')
  await key.getByRole('heading', { name: 'compromised' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('verifiers show who is behind first, and lead to their API key', { skip: SKIPPED }, async () => {
  const body = { name: 'orders', permissions: ['tokens:introspect'] }
  const { api_key: key } = (await service.ask('POST', '/api/v1/api-keys', body)) as { readonly api_key: string }
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const address = `${service.baseUrl}/oauth/revocation-feed`
  const feed = (await (await fetch(address, { headers })).json()) as {
    readonly epoch: string
    readonly position: number
  }
  assert.ok(feed.position > 0)
  for (const [name, position] of [
    ['a-current', feed.position],
    ['b-behind', 0],
  ] as const) {
    const report = { name, epoch: feed.epoch, position }
    const answer = await fetch(`${address}/positions`, { method: 'POST', headers, body: JSON.stringify(report) })
    assert.equal(answer.status, 204)
  }
  await open('')
  await page.getByRole('link', { name: 'All verifiers' }).click()
  const rows = page.locator('.records tbody tr[tabindex]')
  await rows.nth(1).waitFor()
  assert.deepEqual(
    [(await rows.nth(0).innerText()).split('\t').slice(0, 2), (await rows.nth(1).innerText()).split('\t').slice(0, 2)],
    [
      ['b-behind', 'behind'],
      ['a-current', 'current'],
    ],
  )
  await rows.nth(0).click()
  await page.getByRole('complementary').getByRole('link', { name: 'orders' }).click()
  await page.getByRole('complementary', { name: 'orders' }).waitFor()
  assert.deepEqual(complaints, [])
})
