// An operator at work in a browser: finds what ran away, explains a token, ends many, by hand and by keys.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AdminConsole, useAdminConsole } from '../admin-console.ts'
import { findAxeFaults } from '../axe-faults.ts'
import { go, SKIPPED } from '../../../testkit/console/browser.ts'
import type { Agent } from '../../../testkit/console/start-dev.ts'
import { SCREENS } from '../../../testkit/console/listed-screens.ts'

let { service, page, complaints, open } = {} as AdminConsole
useAdminConsole(opened => {
  ;({ service, page, complaints, open } = opened)
})

const ROW = '.records tbody tr[tabindex]'

const busiest = (): Promise<readonly string[]> => page.locator('.records tbody th').allInnerTexts()

const calm = async () => (await busiest()).filter(name => name.startsWith('calm'))

test('the overview moves no row under the pointer, and orders them again once it is gone', {
  skip: SKIPPED,
}, async () => {
  const [first, second] = [await service.makeAgent('calm one'), await service.makeAgent('calm two')]
  for (let count = 0; count < 8; count += 1) await service.issue(first)
  await service.issue(second)
  // Where the test before left it the table may be.
  await page.mouse.move(0, 0)
  await open('')
  assert.equal(await page.title(), 'Overview · Mintmark')
  const rows = page.locator('.records tbody tr')
  await rows.filter({ hasText: 'calm one' }).filter({ hasText: '8' }).waitFor()
  await rows.filter({ hasText: 'calm one' }).hover()
  for (let count = 0; count < 19; count += 1) await service.issue(second)
  await rows.filter({ hasText: 'calm two' }).filter({ hasText: '20' }).waitFor()
  assert.deepEqual(await calm(), ['calm one', 'calm two'])
  await page.mouse.move(0, 0)
  await page.locator('.records tbody tr:has-text("calm two") ~ tr:has-text("calm one")').waitFor()
  assert.deepEqual(await calm(), ['calm two', 'calm one'])
  assert.deepEqual(complaints, [])
})

test('behind each chart of the overview stands a table of its figures, and the pointed point is read out', {
  skip: SKIPPED,
}, async () => {
  const agent = await service.makeAgent('charted')
  await service.issue(agent)
  await open(`agents?open=${agent.agent_id}`)
  const chart = page.locator('.chart', { hasText: 'Token requests' })
  await chart.getByText('Issued 1').waitFor()
  await page.getByRole('group', { name: 'Time that the charts show' }).getByText('Last day').click()
  assert.equal(new URL(page.url()).searchParams.get('over'), '24h')
  await chart.getByText('Figures').click()
  const table = chart.getByRole('table', { name: 'Token requests' })
  await table.getByRole('row').nth(25).waitFor()
  assert.equal(await table.getByRole('row').count(), 26)
  assert.match(await table.getByRole('row').nth(1).innerText(), /^\w+ \d+, \d\d:00\s+1\s+0$/)
  const box = await chart.locator('.u-over').boundingBox()
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 2, (box?.y ?? 0) + 40)
  await chart.getByText(/\d\d:00 UTC, so far/).waitFor()
  await page.mouse.move(0, 0)
  await chart.getByText('last day').waitFor()
  assert.deepEqual(complaints, [])
})

test('new tokens wait behind a button and leave the table as it is', { skip: SKIPPED }, async () => {
  const agent = await service.makeAgent('busy')
  await service.issue(agent)
  await open(`tokens?agent_id=${agent.agent_id}`)
  await page.locator(ROW).first().waitFor()
  for (let count = 0; count < 2; count += 1) await service.issue(agent)
  const shows = page.getByRole('button', { name: '2 new' })
  await shows.waitFor()
  assert.equal(await page.locator(ROW).count(), 1)
  await shows.click()
  await page.locator(ROW).nth(2).waitFor()
})

const EVENTS = '/console/events'
const isOfStream = (one: { readonly url: () => string }): boolean => one.url().endsWith(EVENTS)

const showTab = (isHidden: boolean): Promise<void> =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`)

test('the page follows a stream while it is seen and not paused, and new rows wait behind a button', {
  skip: SKIPPED,
}, async () => {
  const agent = await service.makeAgent('followed')
  const opened = page.waitForResponse(isOfStream)
  await open(`tokens?agent_id=${agent.agent_id}`)
  assert.equal((await opened).status(), 200)
  await page.getByText('No live token matches.').waitFor()
  await service.issue(agent)
  // Without the event it would be up to 15 s.
  await page.getByRole('button', { name: '1 new' }).waitFor({ timeout: 8_000 })
  assert.equal(await page.locator(ROW).count(), 0)
  for (const [stop, start] of [
    [
      () => page.getByRole('button', { name: 'Pause' }).click(),
      () => page.getByRole('button', { name: 'Pause' }).click(),
    ],
    [() => showTab(true), () => showTab(false)],
  ] as const) {
    const [over] = await Promise.all([page.waitForEvent('requestfailed', isOfStream), stop()])
    assert.equal(over.failure()?.errorText, 'net::ERR_ABORTED')
    await Promise.all([page.waitForResponse(isOfStream), start()])
  }
  await service.issue(agent)
  await page.getByRole('button', { name: '2 new' }).waitFor({ timeout: 8_000 })
  assert.deepEqual(complaints, [])
})

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

const liveOf = async ({ agent_id: id }: Agent): Promise<readonly unknown[]> =>
  ((await service.ask('GET', `/api/v1/tokens?agent_id=${id}`)) as { readonly data: readonly unknown[] }).data

test('chosen tokens end by keys alone, and everything of an agent after its name was typed', {
  skip: SKIPPED,
}, async () => {
  const agent = await service.makeAgent('many')
  for (let count = 0; count < 4; count += 1) await service.issue(agent)
  await open(`tokens?agent_id=${agent.agent_id}`)
  await page.locator(ROW).nth(3).waitFor()
  for (const key of ['j', ' ', 'j', 'Shift+Space']) await page.keyboard.press(key)
  await page.getByRole('button', { name: 'End them' }).click()
  await page.locator('.dialog button[type=submit]').click()
  await page.getByText('2 of 2 ended').waitFor()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'End all that match' }).click()
  await page.getByText('2 tokens').waitFor()
  const end = page.getByRole('button', { name: 'End all of them' })
  assert.equal(await end.isDisabled(), true)
  await page.getByLabel(/^Type many/).fill('many')
  await end.click()
  await page.getByText('2 tokens ended.').waitFor()
  assert.deepEqual(await liveOf(agent), [])
  assert.deepEqual(complaints, [])
})

type Exchange = { readonly agent: Agent; readonly token: string }

const exchange = async ({ agent, token }: Exchange): Promise<void> => {
  const body = new URLSearchParams({
    grant_type: TOKEN_EXCHANGE,
    client_id: agent.client_id,
    client_secret: agent.client_secret,
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  })
  assert.equal((await fetch(`${service.baseUrl}/oauth/token`, { method: 'POST', body })).status, 200)
}

test('chosen tokens of which more was got meanwhile do not end, until the plan is read again', {
  skip: SKIPPED,
}, async () => {
  const agent = await service.makeAgent('growing')
  await service.ask('PATCH', `/api/v1/agents/${agent.agent_id}`, {
    grant_types: ['client_credentials', TOKEN_EXCHANGE],
  })
  const token = await service.issue(agent)
  await open(`tokens?agent_id=${agent.agent_id}`)
  assert.equal(await page.locator('.title .count').innerText(), '1')
  await page.getByRole('checkbox', { name: 'Choose row 1' }).click()
  await page.getByRole('button', { name: 'End them' }).click()
  await page.getByText('1 token would end now').waitFor()
  assert.match(await page.locator('.dialog .command code').innerText(), /^mintmark token revoke [-0-9a-f]{36}$/)
  await exchange({ agent, token })
  await page.locator('.dialog button[type=submit]').click()
  await page.getByText('More would end than the plan has. Nothing was sent.').waitFor()
  assert.equal((await liveOf(agent)).length, 2)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('1 token would end now, with 1 that was got for it').waitFor()
  await page.locator('.dialog button[type=submit]').click()
  await page.getByText('1 of 1 ended').waitFor()
  assert.deepEqual(await liveOf(agent), [])
  await page.keyboard.press('Escape')
  assert.deepEqual(complaints, [])
})

test('single keys move, open, close, jump and help; the switch turns them off', { skip: SKIPPED }, async () => {
  await service.issue(await service.makeAgent('keyed'))
  await open('tokens')
  await page.locator(ROW).first().waitFor()
  for (const key of ['j', 'Enter']) await page.keyboard.press(key)
  await page.getByRole('complementary', { name: 'Token' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('complementary', { name: 'Token' }).waitFor({ state: 'detached' })
  for (const key of ['g', 's']) await page.keyboard.press(key)
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('button', { name: 'Turn single keys off' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  for (const key of ['g', 't', '?']) await page.keyboard.press(key)
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(new URL(page.url()).pathname, '/console/settings')
  await page.evaluate('localStorage.clear()')
})

for (const [theme, width] of [
  ['light', 1440],
  ['light', 320],
  ['dark', 1440],
  ['dark', 320],
] as const) {
  test(`every screen, ${theme} at ${width} pixels, has no fault that axe finds`, { skip: SKIPPED }, async () => {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: theme })
    await open('')
    for (const [title, path] of SCREENS) {
      await go(page, path)
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
      await page.locator('main', { hasText: 'Reading…' }).waitFor({ state: 'detached' })
      assert.deepEqual(await findAxeFaults(page), [], title)
    }
    assert.deepEqual(complaints, [])
  })
}

test('the overview shows what was refused, by agent and reason, and the limits that were reached with what changes them', {
  skip: SKIPPED,
}, async () => {
  const [limited, astray] = [await service.makeAgent('one of few'), await service.makeAgent('gone astray')]
  await service.ask('PATCH', `/api/v1/agents/${limited.agent_id}`, { tokens_per_minute: 1 })
  await service.ask('PATCH', `/api/v1/agents/${astray.agent_id}`, { scope: 'db:write' })
  await service.issue(limited)
  for (const agent of [limited, limited, limited, astray, astray])
    await assert.rejects(service.issue(agent), /tokens in a minute|invalid_scope/)
  await open('')
  const refused = page.getByRole('table', { name: 'Refusals by agent and reason' }).getByRole('row')
  const ofLimited = refused.filter({ hasText: 'one of few' })
  assert.match(await ofLimited.innerText(), /^one of few\s+tokens_per_minute\s+429\s+3\s/)
  assert.match(await refused.filter({ hasText: 'gone astray' }).innerText(), /^gone astray\s+invalid_scope\s+400\s+2\s/)
  const limits = page.getByRole('table', { name: 'Limits that were reached' }).getByRole('row')
  assert.match(await limits.nth(1).innerText(), /^tokens_per_minute\s+429\s+3\s[\s\S]*tokens_per_minute$/)
  assert.deepEqual(await findAxeFaults(page), [])
  await ofLimited.getByRole('link', { name: 'one of few' }).click()
  await page.waitForURL(address => address.searchParams.get('open') === limited.agent_id)
  assert.deepEqual(complaints, [])
})
