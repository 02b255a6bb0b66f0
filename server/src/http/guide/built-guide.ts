// The documentation site as `npm run site` built it: files by their paths. It is built for the base path below, which is replaced where
// the base URL of a service has a path.
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { escapeUrl } from '../openapi/page.ts'
import { type Constant, constantBody, type Hash } from '../oauth/constant-body.ts'

export const GUIDE_PATH = '/docs/guide/'

type Kind = { readonly type: string; readonly isText: boolean; readonly isMarkup?: true }

const KINDS: Readonly<Record<string, Kind>> = {
  '.css': { type: 'text/css; charset=utf-8', isText: true },
  '.html': { type: 'text/html; charset=utf-8', isText: true, isMarkup: true },
  '.js': { type: 'text/javascript; charset=utf-8', isText: true },
  '.json': { type: 'application/json; charset=utf-8', isText: true },
  '.svg': { type: 'image/svg+xml', isText: false },
}

export type GuideFile = { readonly plain: Constant; readonly gzipped: Constant }

export type Guide = {
  /** Returns undefined if the site has no file at this path. A file is read and compressed once, and then kept. */
  readonly find: (path: string) => Promise<GuideFile> | undefined
}

type GuideOptions = { readonly basePath: string; readonly hash: Hash; readonly folder: string }

const compress = promisify(gzip)

const isMissing = (fault: unknown): boolean => fault instanceof Error && 'code' in fault && fault.code === 'ENOENT'

/** The paths of its files, `/` between their parts; undefined where there is no such folder. */
const listFolder = async (folder: string): Promise<ReadonlySet<string> | undefined> => {
  try {
    const names = await readdir(folder, { recursive: true })
    return new Set(names.map(name => name.replaceAll(sep, '/')))
  } catch (fault) {
    if (!isMissing(fault)) throw fault
    return undefined
  }
}

/** The base path stands in attributes of HTML and in strings of scripts. */
const rebase = (text: string, basePath: string, { isMarkup }: Kind): string => {
  const quoted = basePath.replaceAll("'", '%27')
  const base = isMarkup === true ? escapeUrl(quoted) : quoted
  return text.replaceAll(GUIDE_PATH, () => base + GUIDE_PATH)
}

/** Returns undefined if this installation was built without the site. Throws if it cannot be read. */
export const openGuide = async ({ basePath, hash, folder }: GuideOptions): Promise<Guide | undefined> => {
  const names = await listFolder(folder)
  if (names === undefined) return undefined
  const kept = new Map<string, Promise<GuideFile>>()
  const read = async (path: string, kind: Kind): Promise<GuideFile> => {
    const { type, isText } = kind
    const bytes = await readFile(join(folder, path))
    const served = isText && basePath !== '' ? Buffer.from(rebase(bytes.toString('utf8'), basePath, kind)) : bytes
    const smaller = await compress(served, { level: 9 })
    return { plain: { body: constantBody(hash, served), type }, gzipped: { body: constantBody(hash, smaller), type } }
  }
  return {
    find: path => {
      const kind = KINDS[extname(path)]
      // Only what was listed is read, so no path leads out of the folder.
      if (kind === undefined || !names.has(path)) return undefined
      const reading = kept.get(path) ?? read(path, kind)
      kept.set(path, reading)
      // What kept it from being read may be over by the next request.
      void reading.catch(() => kept.delete(path))
      return reading
    },
  }
}
