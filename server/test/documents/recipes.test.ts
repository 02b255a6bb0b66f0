// The recipes hold what the suites of interop run, word for word.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { embed, listEmbedded, listRecipes, readRecipe } from '../../../proof/interop/recipes.ts'

test('every block of code below the name of a file is that file; `npm run recipes` puts it there', () => {
  assert.ok(listRecipes().length > 0, 'There are no recipes.')
  for (const path of listRecipes()) {
    const text = readRecipe(path)
    assert.ok(listEmbedded(text).length > 0, `${path} holds no file that a suite runs.`)
    assert.equal(text, embed(text), path)
  }
})

test('every file named in a recipe has its block of code', () => {
  for (const path of listRecipes()) {
    const text = readRecipe(path)
    const named = [...text.matchAll(/^<!-- (\S+) -->$/gm)].map(([, file]) => file)
    assert.deepEqual(listEmbedded(text), named, path)
  }
})
