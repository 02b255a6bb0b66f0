// A service that cannot be reached for a while: what is on the page stays there, and what is said of an act is true.
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { SKIPPED } from '../../../testkit/console/browser.ts'
import { useAdminConsole } from '../admin-console.ts'

let page: Page
let open: (path: string) => Promise<void>

useAdminConsole(opened => ({ page, open } = opened))

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
