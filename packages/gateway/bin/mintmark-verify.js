#!/usr/bin/env node
// The command `mintmark-verify`. A clone holds the TypeScript, which Node runs as it is; a published package holds what was built
// of it, because Node refuses to strip types under node_modules.
import { existsSync } from 'node:fs'

const source = new URL('../src/main.ts', import.meta.url)
await import((existsSync(source) ? source : new URL('../dist/main.js', import.meta.url)).href)
