// A service that cannot be reached for a while: what is on the page stays there, and what is said of an act is true.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { SKIPPED } from '../../../testkit/console/browser.ts'
import { idOf, type RunningDev } from '../../../testkit/console/start-dev.ts'
import { useAdminConsole } from '../admin-console.ts'

let service: RunningDev
let page: Page
let open: (path: string) => Promise<void>

useAdminConsole(opened => ({ service, page, open } = opened))

test('a screen whose code cannot be had says so in its place, and the other screens go on', {
  skip: SKIPPED,
}, async () => {
  await open('tokens')
  await page.route('**/assets/audit-*.js', route => route.abort(), { times: 1 })
  await page.getByRole('link', { name: 'Audit' }).click()
  await page.getByRole('alert').getByText('Load the page again.').waitFor()
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('heading', { name: 'History' }).waitFor()
  await page.getByRole('link', { name: 'Audit' }).click()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Audit' }).waitFor()
})

const REFUSED = { status: 403, json: { error: 'insufficient_scope', error_description: 'Not now.' } }

/** From now on what changes something is done and its answer lost, and what is read waits. */
const loseAnswers = async (): Promise<Route[]> => {
  const waiting: Route[] = []
  await page.route('**/api/**', async route => {
    if (route.request().method() === 'GET') return void waiting.push(route)
    await route.fetch()
    await route.abort('connectionreset')
  })
  return waiting
}

test('an act whose answer is lost is said to be uncertain while nothing can be read, and its dialog outlives what could not', {
  skip: SKIPPED,
}, async () => {
  await open(`tokens?open=${idOf(await service.issue(await service.makeAgent('lost')))}`)
  await page.getByRole('button', { name: 'End this token' }).click()
  const waiting = await loseAnswers()
  await page.getByRole('button', { name: 'End it' }).click()
  await page.getByRole('dialog').getByText('It may be done all the same').waitFor()
  for (const route of waiting) await route.fulfill(REFUSED)
  await page.locator('.panel').getByText('Not now.').first().waitFor()
  assert.equal(await page.getByRole('dialog').count(), 1)
  await page.unroute('**/api/**')
  await page.getByRole('button', { name: 'Cancel' }).click()
})

test('a dialog whose act is under way offers no way to call it off', { skip: SKIPPED }, async () => {
  const { agent_id: id } = await service.makeAgent('slow')
  await open(`agents?open=${id}`)
  await page.getByRole('button', { name: 'Stop slow' }).first().click()
  const sent = Promise.withResolvers<Route>()
  await page.route('**/disable', sent.resolve, { times: 1 })
  await page.getByRole('button', { name: 'Stop it' }).click()
  const route = await sent.promise
  // The request may have left before the page shows that it did; it is held until then.
  await page.getByRole('button', { name: 'Cancel', disabled: true }).waitFor()
  await route.continue()
  await page.getByRole('heading', { name: 'slow is stopped' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('disabled', { exact: true }).first().waitFor()
})

test('a sign-out that the service does not make is said to have failed', { skip: SKIPPED }, async () => {
  await open('')
  await page.route('**/console/sign-out', route => route.fulfill({ status: 503 }), { times: 1 })
  await page.getByRole('button', { name: 'Development admin' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('alert').getByText('it answers 503 to the sign-out').waitFor()
})
