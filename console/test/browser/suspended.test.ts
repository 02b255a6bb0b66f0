// After a restore: what it suspended stands on the first line of every screen, until it is accepted.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openPage, signIn, SKIPPED } from '../../../testkit/console/browser.ts'
import { SCREENS } from '../../../testkit/console/listed-screens.ts'
import { makeDevPlace, startDev } from '../../../testkit/console/start-dev.ts'
import { run } from '../../../testkit/commands/run-mintmark.ts'
import { findAxeFaults } from '../axe-faults.ts'
import { shareBrowser } from '../shared-browser.ts'

test('what a restore suspended stands on the first line of every screen, until it is accepted', {
  skip: SKIPPED,
}, async t => {
  const place = await makeDevPlace(t)
  const before = await startDev(t, place)
  const mintmark = (...args: readonly string[]): void => {
    const { status, stderr } = run(place.cwd, args, {
      MINTMARK_DATA_DIR: before.folder,
      MINTMARK_KEY_ENCRYPTION_KEY_FILE: join(before.folder, 'key-encryption-key'),
    })
    assert.equal(status, 0, stderr)
  }
  await before.makeAgent('busy')
  const issuer = { alias: 'idp', issuer: 'https://idp.example', token_types: ['id_token'], scope: 'db:read' }
  await before.ask('POST', '/api/v1/issuers', issuer)
  await before.stop()
  mintmark('restore', 'epoch', '--yes')
  const { baseUrl } = await startDev(t, place)
  const { page, complaints } = await openPage(await shareBrowser())
  t.after(() => page.close())
  await signIn(page, baseUrl, 'admin')
  const first = page.locator('main > :first-child')
  for (const [, path] of SCREENS) {
    await page.goto(`${baseUrl}/console/${path}`)
    await first
      .getByText(
        /A restore suspended 2 agents, .*, and 1 trusted issuer\. Their requests are refused until you accept them/,
      )
      .waitFor()
    await first.getByText('mintmark restore accept').waitFor()
    await page.locator('main h1').waitFor()
  }
  assert.deepEqual(await findAxeFaults(page), [])
  await page.goto(`${baseUrl}/console/issuers?open=idp`)
  const panel = page.getByRole('complementary', { name: 'idp' })
  await panel.getByText('suspended', { exact: true }).waitFor()
  await panel.getByText('Suspended by a restore').waitFor()
  mintmark('restore', 'accept', '--yes')
  await page.goto(`${baseUrl}/console/`)
  await page.getByRole('heading', { level: 2, name: 'Health' }).waitFor()
  // The service counts again each second or so, and the page asks again.
  await page.getByText('A restore suspended').waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
})
