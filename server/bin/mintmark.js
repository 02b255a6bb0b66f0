#!/usr/bin/env node
// The command `mintmark`. Plain JavaScript, so that a Node too old for the program can still say so.
import { existsSync } from 'node:fs'

const NEEDED = [24, 15]
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  console.error(
    `mintmark needs Node ${NEEDED.join('.')} or newer, but this is Node ${process.versions.node}; ` +
      'install a newer one, or inside a clone run `npx mintmark` or `npm exec mintmark`, which bring their own.',
  )
  process.exit(1)
}

// A clone holds the TypeScript, which Node runs as it is; a published package holds what was built of it,
// because Node refuses to strip types under node_modules.
const source = new URL('../src/main.ts', import.meta.url)
await import((existsSync(source) ? source : new URL('../dist/main.js', import.meta.url)).href)
