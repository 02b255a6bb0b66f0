// The console as it was built: a page, and assets whose names change with their content.
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { folderBeside } from '../beside-program.ts'

export type Asset = { readonly bytes: Buffer; readonly gzipped: Buffer; readonly type: string }

export type BuiltConsole = {
  /** HTML, with a place for its base and its nonce. */
  readonly page: string
  /** The files below `assets/`, by name. */
  readonly assets: ReadonlyMap<string, Asset>
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

const readAsset = (path: string): Asset => {
  const [bytes, type] = [readFileSync(path), TYPES[extname(path)]]
  if (type === undefined) throw new Error(`${path} is of no kind that the console has.`)
  return { bytes, gzipped: gzipSync(bytes, { level: 9 }), type }
}

const readFolder = (folder: string): BuiltConsole => {
  const assets = join(folder, 'assets')
  const named = readdirSync(assets).map(name => [name, readAsset(join(assets, name))] as const)
  return { page: readFileSync(join(folder, 'index.html'), 'utf8'), assets: new Map(named) }
}

const isMissing = (fault: unknown): boolean => fault instanceof Error && 'code' in fault && fault.code === 'ENOENT'

/** Returns undefined if this installation was built without the console. Throws if it cannot be read. */
export const readConsole = (): BuiltConsole | undefined => {
  try {
    return readFolder(folderBeside('console'))
  } catch (fault) {
    if (!isMissing(fault)) throw fault
    return undefined
  }
}
