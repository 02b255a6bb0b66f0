// The console in a browser, once: an operator signs in, and sees who ended a token. `npm run test:browser` has the rest.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AdminConsole, useAdminConsole } from '../admin-console.ts'
import { LEAK, seeWhoEnded } from '../stories.ts'
import { SKIPPED } from '../../../testkit/console/browser.ts'
import { idOf } from '../../../testkit/console/start-dev.ts'

let { service, page, complaints, open } = {} as AdminConsole
useAdminConsole(opened => {
  ;({ service, page, complaints, open } = opened)
})

test('an operator who signed in pastes a token, and sees who ended it and why', { skip: SKIPPED }, async () => {
  const token = await service.issue(await service.makeAgent('leaky'))
  await service.ask('POST', `/api/v1/tokens/${idOf(token)}/revoke`, { note: LEAK })
  await open('')
  await page.keyboard.press('/')
  await page.keyboard.insertText(token)
  await page.keyboard.press('Enter')
  await seeWhoEnded(page)
  assert.deepEqual(complaints, [])
})
