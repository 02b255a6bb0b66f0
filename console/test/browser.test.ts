// What people do in the console, in a browser: each file of the folder is a suite with hooks of its own, and runs alone as well.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'node:test'
// Before the files: the browser is then closed after the last of them.
import './shared-browser.ts'

for (const name of readdirSync(join(import.meta.dirname, 'browser')).toSorted()) {
  void suite(name, () => import(`./browser/${name}`))
}
