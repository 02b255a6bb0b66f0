// docs/tutorial-mcp-server.md shows examples/mcp, which packages/verify/test/process/examples.test.ts runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readText } from '../../../../testkit/sources/source-files.ts'

test('the blocks of code of the tutorial are the files of examples/mcp, in order and whole', () => {
  const blocks = [...readText('docs/tutorial-mcp-server.md').matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code)
  const files = ['server', 'client'].map(name => readText(`examples/mcp/${name}.ts`))
  assert.equal(blocks.join('\n'), files.join('\n'))
})
