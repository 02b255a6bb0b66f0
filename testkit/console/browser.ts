// A browser of this machine, in which tests use the console of a running `mintmark dev`.
import assert from 'node:assert/strict'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findProgram } from '../processes/find-program.ts'

export const CHROMIUM = findProgram('chromium') ?? findProgram('google-chrome')

/** For `skip` of a test. */
export const SKIPPED = CHROMIUM === undefined ? 'There is no chromium on this machine.' : false

export const openBrowser = (): Promise<Browser> =>
  // Its sandbox needs namespaces, which a container may refuse.
  chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] })

/** A page, and what it complained of: the browser's reports of its policy, and faults of scripts. */
export const openPage = async (browser: Browser): Promise<{ readonly page: Page; readonly complaints: string[] }> => {
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  page.on('pageerror', fault => complaints.push(String(fault)))
  page.on('console', message => {
    const text = message.text()
    // Before the sign-in the page asks who is signed in, and hears 401.
    if (message.type() === 'error' && !text.includes('status of 401')) complaints.push(text)
  })
  return { page, complaints }
}

/** From the console's own page, through that of the provider, and back. */
export const signIn = async (page: Page, baseUrl: string, role: 'viewer' | 'operator' | 'admin'): Promise<void> => {
  await page.goto(`${baseUrl}/console/`)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: `Sign in as ${role}` }).click()
  await page.waitForURL(`${baseUrl}/console/`)
  await page.getByRole('button', { name: `Development ${role}` }).waitFor()
  assert.equal(new URL(page.url()).origin, new URL(baseUrl).origin)
}

/** As a link of the page does, without loading it again. */
export const go = async (page: Page, path: string): Promise<void> => {
  const to = JSON.stringify(`/console/${path}`)
  await page.evaluate(`history.pushState(null, '', ${to}); dispatchEvent(new PopStateEvent('popstate'))`)
}

/** Clicks, keys and pastes of a person, counted. */
export const countInteractions = (page: Page) => {
  let count = 0
  const counted =
    <Given extends unknown[]>(act: (...given: Given) => Promise<void>) =>
    (...given: Given): Promise<void> => {
      count += 1
      return act(...given)
    }
  return {
    click: counted((name: string) => page.getByRole('button', { name }).or(page.getByRole('link', { name })).click()),
    press: counted((key: string) => page.keyboard.press(key)),
    paste: counted((text: string) => page.keyboard.insertText(text)),
    made: (): number => count,
  }
}
