// Builds the console into server/console, from where the service serves it: docs/decisions/0080-console.md.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // The service writes a <base> into the page, because the base URL may have a path.
  base: './',
  publicDir: false,
  build: {
    outDir: '../server/console',
    emptyOutDir: true,
    // A data: URL would need a policy that allows it.
    assetsInlineLimit: 0,
    target: 'es2024',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
})
