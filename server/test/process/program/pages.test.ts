// The pages as their readers paste them: of each, every block of shell that does not say otherwise, in order, beside one service that
// `mintmark dev` began.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freePorts, makeFolder, PROGRAM, runShell, start } from '../../../../testkit/commands/run-mintmark.ts'
import { blocksOf, USERS_PAGES } from '../../../../testkit/sources/markdown.ts'
import { readFiles } from '../../../../testkit/sources/source-files.ts'

const MARK = '---the end of block '

const scope = { after }
const home = makeFolder(scope)
const [port, providerPort] = await freePorts()
await start(scope, home, {
  args: ['dev'],
  variables: { PORT: String(port), MINTMARK_DEV_IDP_PORT: String(providerPort) },
  ready: /jwks\.json"; echo\n/,
})

const bin = join(home, 'bin')
mkdirSync(bin)
writeFileSync(join(bin, 'mintmark'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`)
chmodSync(join(bin, 'mintmark'), 0o755)

const pages = readFiles(USERS_PAGES)
  .map(({ path, text }) => ({
    path,
    blocks: blocksOf(text).filter(({ language, notRun }) => language === 'sh' && notRun === undefined),
  }))
  .filter(({ blocks }) => blocks.length > 0)

test('there are pages with commands', () => assert.ok(pages.length > 10, String(pages.length)))

for (const { path, blocks } of pages) {
  test(`the commands of ${path} work as pasted`, () => {
    const folder = makeFolder(scope)
    symlinkSync(join(home, '.mintmark'), join(folder, '.mintmark'))
    // Else curl ends well when the service refuses.
    writeFileSync(join(folder, '.curlrc'), 'fail\n')
    // Each block says that it was run to its end: one that ends the shell early would end well.
    const lines = blocks.map(({ code }, n) => `set -x\n${code}\n{ set +x; printf '\\n%s\\n' '${MARK}${n}'; } 2>&-\n`)
    const set = ['set -e -o pipefail', `export HOME='${folder}'`, '. .mintmark/dev.env', `PATH='${bin}':$PATH`]
    const { status, stdout, stderr } = runShell(folder, [...set, ...lines].join('\n'))
    assert.equal(status, 0, `${stdout}\n${stderr}`)
    const ends = stdout.split('\n').filter(line => line.startsWith(MARK))
    assert.deepEqual(
      ends,
      blocks.map((_, n) => `${MARK}${n}`),
    )
  })
}
