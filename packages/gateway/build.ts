// Builds the command as it is published: Node strips no types under node_modules. What it uses of other folders becomes a part of it.
import { join } from 'node:path'
import { argv } from 'node:process'
import { build } from 'esbuild'

export const buildCommand = async (folder: string): Promise<void> => {
  await build({
    entryPoints: [join(import.meta.dirname, 'src/main.ts')],
    outdir: folder,
    bundle: true,
    // What handles early signals is loaded before the rest.
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  })
}

if (argv[1] === import.meta.filename) await buildCommand(join(import.meta.dirname, 'dist'))
