// An identity provider that does not answer for a while: who is signed in stays so and is not asked to sign in anew, and who wants to
// sign in reads why they cannot.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage, SKIPPED } from '../../../testkit/console/browser.ts'
import { until } from '../../../testkit/processes/until.ts'
import { startServer, type TestServer } from '../../../testkit/services/test-server.ts'
import { findAxeFaults } from '../axe-faults.ts'
import { shareBrowser } from '../shared-browser.ts'

type World = { readonly service: TestServer; readonly page: Page }

/** A service whose provider signs everybody in, and a browser that nobody signed in with. */
const makeWorld = async (t: TestContext): Promise<World> => {
  const service = await startServer({ timing: { signInAnswerMs: 300, sessionPollMs: 5 } })
  const { page } = await openPage(await shareBrowser())
  t.after(async () => {
    await page.close()
    await service.close()
  })
  return { service, page }
}

const signIn = (page: Page): Promise<void> => page.getByRole('link', { name: 'Sign in' }).click()
const userMenu = (page: Page) => page.getByRole('button', { name: 'Ada' })

/** The JWT of the session lives for five minutes. */
const LATER_MS = 6 * 60_000

const AWAY = 'The identity provider does not answer: try again.'

/** By how the provider fails, how often the page asks in vain who is signed in: it asks 4 times by itself, and then once in 5 s. */
const FAULTS = [
  ['error', 5],
  ['hang', 1],
] as const

for (const [fault, askedMin] of FAULTS) {
  test(`an operator is not signed out while the provider does not answer (${fault}): each screen and the page itself say so, and go on by themselves`, {
    skip: SKIPPED,
  }, async t => {
    const { service, page } = await makeWorld(t)
    const signIns = (): number => service.provider.tokens.asked.get('authorization_code') ?? 0
    const turnAway = (): void => {
      service.clock.advance(LATER_MS)
      service.provider.tokens.fault = fault
    }
    await page.goto(`${service.baseUrl}/console/tokens`)
    await signIn(page)
    await userMenu(page).waitFor()
    turnAway()
    await page.getByRole('link', { name: 'Agents', exact: true }).click()
    await page.getByRole('alert').getByText(AWAY).first().waitFor()
    await userMenu(page).waitFor()
    service.provider.tokens.fault = undefined
    await page.getByText('No agent').waitFor()

    turnAway()
    let asked = 0
    page.on('response', response => {
      if (response.url().endsWith('/console/session') && response.status() === 503) asked += 1
    })
    await page.reload()
    await page.getByRole('alert').getByText(AWAY).waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
    assert.equal(await page.getByRole('link', { name: 'Sign in' }).count(), 0)
    await until('the page has asked in vain', async () => asked >= askedMin)
    service.provider.tokens.fault = undefined
    await page.getByRole('heading', { name: 'Agents' }).waitFor()
    await userMenu(page).waitFor()
    assert.equal(signIns(), 1)
  })
}

test('who wants to sign in while the provider does not answer gets a page that says so, and from there to the screen they wanted once it is back', {
  skip: SKIPPED,
}, async t => {
  const { service, page } = await makeWorld(t)
  for (const failure of ['error', 'hang'] as const) {
    service.provider.fail(failure)
    await page.goto(`${service.baseUrl}/console/tokens?scope=db%3Aread`)
    const answered = page.waitForResponse(response => response.url().includes('/console/sign-in'))
    await signIn(page)
    assert.equal((await answered).status(), 503)
    await page.getByRole('heading', { name: 'The sign-in did not succeed' }).waitFor()
    await page.getByText(AWAY).waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
  }
  service.provider.recover()
  await page.getByRole('link', { name: 'Back to the console' }).click()
  await signIn(page)
  await userMenu(page).waitFor()
  assert.equal(page.url(), `${service.baseUrl}/console/tokens?scope=db%3Aread`)
})

test('a provider that stops answering in the middle of a sign-in is said so on a page, and the next sign-in succeeds', {
  skip: SKIPPED,
}, async t => {
  const { service, page } = await makeWorld(t)
  service.provider.tokens.fault = 'error'
  await page.goto(`${service.baseUrl}/console/`)
  const answered = page.waitForResponse(response => response.url().includes('/console/callback'))
  await signIn(page)
  assert.equal((await answered).status(), 503)
  await page.getByRole('heading', { name: 'The sign-in did not succeed' }).waitFor()
  await page.getByText('The identity provider does not answer: sign in again.').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  service.provider.tokens.fault = undefined
  await page.getByRole('link', { name: 'Back to the console' }).click()
  await signIn(page)
  await userMenu(page).waitFor()
})
