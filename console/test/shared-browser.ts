// One browser for all tests of a process: each page has cookies and storage of its own, and to start one takes longer than most
// tests do. It ends with the file that imports this first.
import { after } from 'node:test'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../../testkit/console/browser.ts'

let opened: Promise<Browser> | undefined

export const shareBrowser = (): Promise<Browser> => (opened ??= openBrowser())

after(async () => (await opened)?.close())
