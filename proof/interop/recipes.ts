// Puts the files that the suites and tests run into docs/recipes and other pages: `npm run recipes`. A test holds both together, so no recipe rots.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

const REPOSITORY = resolve(import.meta.dirname, '../..')
/** A comment that names a file, and the block of code below it. */
const EMBEDDED = /<!-- (?<path>[\w./-]+) -->\n\n```(?<language>\w+)\n[^]*?\n```/g

export const listRecipes = (): readonly string[] =>
  globSync('docs/{quickstart,client-certificates,resource-servers,recipes/*,operating/from-auth0}.md', {
    cwd: REPOSITORY,
  }).toSorted()

export const readRecipe = (path: string): string => readFileSync(resolve(REPOSITORY, path), 'utf8')

/** The files that a recipe holds. */
export const listEmbedded = (text: string): readonly string[] =>
  [...text.matchAll(EMBEDDED)].map(({ groups }) => groups?.['path'] ?? '')

/** The recipe with every block as its file is now. */
export const embed = (text: string): string =>
  text.replaceAll(
    EMBEDDED,
    (_block, path: string, language: string) =>
      `<!-- ${path} -->\n\n\`\`\`${language}\n${readFileSync(resolve(REPOSITORY, path), 'utf8').trimEnd()}\n\`\`\``,
  )

if (import.meta.main) {
  for (const path of listRecipes()) writeFileSync(resolve(REPOSITORY, path), embed(readRecipe(path)))
}
