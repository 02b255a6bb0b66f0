// Builds the program into server/dist, as it is published: docs/decisions/archive/0086-bundled-program.md.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  build: {
    // For Node: packages stay packages, which those who install the program can see and replace.
    ssr: true,
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2024',
    rollupOptions: {
      // What a thread starts with stands beside its maker under the name that it has in the sources.
      input: {
        main: 'src/main.ts',
        'writer-thread': 'src/store/sqlite/writer/writer-thread.ts',
        'serving-thread': 'src/serving/serving-thread.ts',
        'foreign-hash-thread': 'src/keys/clients/foreign-hash-thread.ts',
      },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
})
