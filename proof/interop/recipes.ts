// Puts the files that the suites and tests run into the pages that show them: `npm run recipes`. A test holds both together.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { COPY, USERS_PAGES } from '../../testkit/sources/markdown.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')
/** The pages that name a file above a block of code. */
export const listRecipes = (): readonly string[] =>
  globSync(USERS_PAGES, { cwd: REPOSITORY })
    .filter(path => /^<!-- [\w./-]+ -->$/m.test(readRecipe(path)))
    .toSorted()

export const readRecipe = (path: string): string => readFileSync(resolve(REPOSITORY, path), 'utf8')

/** The files that a recipe holds. */
export const listEmbedded = (text: string): readonly string[] =>
  [...text.matchAll(COPY)].map(({ groups }) => groups?.['path'] ?? '')

/** The recipe with every block as its file is now. */
export const embed = (text: string): string =>
  text.replaceAll(
    COPY,
    (_block, path: string, language: string) =>
      `<!-- ${path} -->\n\n\`\`\`${language}\n${readFileSync(resolve(REPOSITORY, path), 'utf8').trimEnd()}\n\`\`\``,
  )

if (import.meta.main) {
  for (const path of listRecipes()) writeFileSync(resolve(REPOSITORY, path), embed(readRecipe(path)))
}
