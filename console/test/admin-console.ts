// The console of a service of its own, by default of `dev`, wide and signed in as an administrator, for all tests of a file.
import { before } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openPage, signIn, SKIPPED } from '../../testkit/console/browser.ts'
import { type RunningDev, type ServiceAsked, startDev } from '../../testkit/console/start-dev.ts'
import { useFileScope } from './file-scope.ts'
import { shareBrowser } from './shared-browser.ts'

type Scope = ReturnType<typeof useFileScope>

export type AdminConsole<Service extends ServiceAsked = RunningDev> = {
  readonly service: Service
  readonly browser: Browser
  readonly page: Page
  /** What the page complained of so far. */
  readonly complaints: string[]
  /** Loads a screen by its path, and waits for its title. */
  readonly open: (path: string) => Promise<void>
}

/** Call it where the tests are declared; `take` gets it before the first of them. Not where there is no browser. */
export const useConsoleOf = <Service extends ServiceAsked>(
  startService: (scope: Scope) => Promise<Service>,
  take: (opened: AdminConsole<Service>) => void,
): void => {
  const scope = useFileScope()
  before(async () => {
    if (SKIPPED !== false) return
    const service = await startService(scope)
    const browser = await shareBrowser()
    const { page, complaints } = await openPage(browser)
    scope.after(() => page.close())
    await page.setViewportSize({ width: 1440, height: 900 })
    await signIn(page, service.baseUrl, 'admin')
    const open = async (path: string): Promise<void> => {
      await page.goto(`${service.baseUrl}/console/${path}`)
      await page.locator('main h1').waitFor()
    }
    take({ service, browser, page, complaints, open })
  })
}

/** As `useConsoleOf`, of a `dev`. */
export const useAdminConsole = (take: (opened: AdminConsole) => void): void => useConsoleOf(startDev, take)
