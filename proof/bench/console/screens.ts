// The screens of the console as a browser reads them: the first view, each page as a reader scrolls, and each order of the agents.
import type { Page } from 'playwright-core'
import { SCREENS } from '../../../testkit/console/listed-screens.ts'
import type { Row } from '../figures.ts'

/** A screen that asked for nothing more within this time is whole. */
const QUIET_MS = 300
const NEXT_MS_MOST = 3000

/** A request to the API in ms since the navigation, by the browser's own times (Resource Timing). */
type Asked = { readonly name: string; readonly startTime: number; readonly responseEnd: number }

const ASKED = `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/'))
  .map(({ name, startTime, responseEnd }) => ({ name, startTime, responseEnd }))`
const TO_THE_END = `for (const place of document.querySelectorAll('.records')) place.scrollTop = place.scrollHeight`

const readAsked = (page: Page): Promise<readonly Asked[]> => page.evaluate<readonly Asked[]>(ASKED)

const slowest = (all: readonly Asked[]): number =>
  all.reduce((most, { startTime, responseEnd }) => Math.max(most, responseEnd - startTime), 0)

const untilQuiet = async (page: Page): Promise<readonly Asked[]> => {
  let asked = await readAsked(page)
  for (let before = -1; before !== asked.length; asked = await readAsked(page)) {
    before = asked.length
    await page.waitForTimeout(QUIET_MS)
  }
  return asked
}

/** What is asked at the end of what was read; nothing where that is the end of the list. */
const readNext = async (page: Page): Promise<readonly Asked[]> => {
  await page.evaluate('performance.clearResourceTimings()')
  await page.evaluate(TO_THE_END)
  for (const from = performance.now(); performance.now() < from + NEXT_MS_MOST; await page.waitForTimeout(5)) {
    const asked = await readAsked(page)
    if (asked.length > 0) return asked
  }
  return []
}

type Screen = readonly [title: string, path: string]

const measure = async (page: Page, baseUrl: string, [title, path]: Screen, pagesMost: number): Promise<Row> => {
  await page.goto(`${baseUrl}/console/${path}`)
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  const first = await untilQuiet(page)
  const pages: (readonly Asked[])[] = [first]
  while (pages.length < pagesMost) {
    const next = await readNext(page)
    if (next.length === 0) break
    pages.push(next)
  }
  const whole = Math.max(...first.map(({ responseEnd }) => responseEnd))
  return [title, first.length, whole, slowest(first), pages.length, slowest(pages.at(-1) ?? []), slowest(pages.flat())]
}

export const SCREEN_TITLES = [
  'screen',
  'requests',
  'whole after ms',
  'slowest ms',
  'pages',
  'last page ms',
  'slowest page ms',
] as const

/** Each screen, down to page `pagesMost` or to its end. */
export const measureScreens = async (page: Page, baseUrl: string, pagesMost: number): Promise<readonly Row[]> => {
  const rows: Row[] = []
  for (const [title, path] of SCREENS) rows.push(await measure(page, baseUrl, [title, path], pagesMost))
  return rows
}

export const SORT_TITLES = ['agents by', 'requests', 'whole after ms', 'slowest ms'] as const

/** The list of agents by each of its columns, from the press of the button. */
export const measureSorts = async (page: Page, baseUrl: string): Promise<readonly Row[]> => {
  const rows: Row[] = []
  await page.goto(`${baseUrl}/console/agents`)
  await page.locator('button.sort').first().waitFor()
  const titles = await page.locator('button.sort').allInnerTexts()
  for (const [n, title] of titles.entries()) {
    await page.goto(`${baseUrl}/console/agents`)
    await page.locator('button.sort').first().waitFor()
    await untilQuiet(page)
    await page.evaluate('performance.clearResourceTimings()')
    const from = await page.evaluate<number>('performance.now()')
    await page.locator('button.sort').nth(n).click()
    const asked = await untilQuiet(page)
    const whole = asked.reduce((most, { responseEnd }) => Math.max(most, responseEnd - from), 0)
    rows.push([title.split('\n')[0] ?? title, asked.length, whole, slowest(asked)])
  }
  return rows
}
