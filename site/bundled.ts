// What others wrote and the bundle of the guide holds, of site/package-lock.json. The build fails where it holds anything else, for the
// bill of materials and the check of licenses have it from here.
export const BUNDLED: readonly string[] = [
  '@vue/reactivity',
  '@vue/runtime-core',
  '@vue/runtime-dom',
  '@vue/shared',
  '@vueuse/core',
  '@vueuse/integrations',
  '@vueuse/shared',
  'focus-trap',
  'mark.js',
  'minisearch',
  'tabbable',
  'vitepress',
]
