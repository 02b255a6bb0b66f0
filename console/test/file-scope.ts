// What the tests of a file have to end: the last of it first.
import { after } from 'node:test'

/** Call it where the tests are declared. Whatever is begun by the hook before the first test ends after the last one. */
export const useFileScope = (): { readonly after: (end: () => unknown) => void } => {
  const ending: (() => unknown)[] = []
  after(async () => {
    for (const end of ending) await end()
  })
  return { after: end => void ending.unshift(end) }
}
