// Builds the first code of the single executable into one file of CommonJS: Node 24 reads nothing else from an executable.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  logLevel: 'warn',
  build: {
    ssr: 'main.ts',
    target: 'es2024',
    rollupOptions: { output: { format: 'cjs', entryFileNames: 'main.cjs' } },
  },
})
