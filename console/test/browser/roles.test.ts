// What operators of each role see: the screens and the acts of api/values/access.ts, and nothing else.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type Access, ACCESS, type Role, ROLES } from '../../../api/values/access.ts'
import { openPage, signIn, SKIPPED } from '../../../testkit/console/browser.ts'
import { type RunningDev, startDev } from '../../../testkit/console/start-dev.ts'
import { SCREENS } from '../../../testkit/console/listed-screens.ts'
import { useFileScope } from '../file-scope.ts'
import { shareBrowser } from '../shared-browser.ts'

let browser: Browser
let service: RunningDev
const scope = useFileScope()

before(async () => {
  if (SKIPPED !== false) return
  service = await startDev(scope)
  browser = await shareBrowser()
  await service.issue(await service.makeAgent('of a role'))
})

const may = (role: Role, { role: least }: Pick<Access, 'role'>): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least)

type Control = (page: Page) => ReturnType<Page['locator']>

const button =
  (name: string): Control =>
  page =>
    page.getByRole('button', { name })

/** By the path of a screen: once the text is there, the control by which something is done, and what that asks for. */
const ACTS: Readonly<Record<string, readonly (readonly [ready: RegExp, control: Control, asks: Access])[]>> = {
  '': [[/of a role/, button('Stop of a role'), ACCESS.stopAgents]],
  tokens: [[/of a role/, page => page.getByRole('checkbox', { name: 'Choose row 1' }), ACCESS.revokeTokens]],
  keys: [
    [/current/, button('Rotate'), ACCESS.writeKeys],
    [/current/, button('Retire'), ACCESS.writeKeys],
  ],
  settings: [[/Version/, page => page.getByRole('searchbox', { name: 'Search settings' }), ACCESS.readSettings]],
}

for (const role of ROLES) {
  test(`an operator with the role ${role} sees what it may do on each screen, and no more`, {
    skip: SKIPPED,
  }, async () => {
    const { page, complaints } = await openPage(browser)
    await signIn(page, service.baseUrl, role)
    const navigation = page.getByRole('navigation', { name: 'Screens' })
    const shown = await navigation.getByRole('link').allInnerTexts()
    assert.deepEqual(
      shown,
      SCREENS.filter(([, , reads]) => may(role, reads)).map(([title]) => title),
    )
    for (const [title, path, reads] of SCREENS) {
      if (may(role, reads)) await navigation.getByRole('link', { name: title, exact: true }).click()
      else await page.goto(`${service.baseUrl}/console/${path}`)
      const name = may(role, reads) ? title : 'There is no such screen'
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
      for (const [ready, control, asks] of may(role, reads) ? (ACTS[path] ?? []) : []) {
        await page.locator('main').getByText(ready).first().waitFor()
        const isUsable = (await control(page).count()) > 0 && (await control(page).first().isEnabled())
        assert.equal(isUsable, may(role, asks), `${role} on ${title}, who should ${asks.to}`)
      }
    }
    assert.deepEqual(complaints, [])
    await page.close()
  })
}
