// Files that a build left in a folder beside the program: the console and the documentation site. Each is read and compressed once, when
// it is first wanted, and then kept.
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { takesGzip } from '../../domain/text/accept.ts'
import { type Constant, constantBody, type Hash, sendConstant } from './constant-body.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

export type BuiltFile = { readonly plain: Constant; readonly gzipped: Constant }

/** Undefined where the build left no file at this path. */
type BuiltFiles = { readonly find: (path: string) => Promise<BuiltFile> | undefined }

type FolderOptions = {
  readonly folder: string
  readonly hash: Hash
  /** Returns what a text becomes before it is served. */
  readonly rewrite?: (text: string, extension: string) => string
}

const compress = promisify(gzip)

const isMissing = (fault: unknown): boolean => fault instanceof Error && 'code' in fault && fault.code === 'ENOENT'

/** The paths of its files, `/` between their parts; undefined where there is no such folder. */
const listFolder = async (folder: string): Promise<ReadonlySet<string> | undefined> => {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    // No link is followed out of the folder.
    const files = entries.filter(entry => entry.isFile())
    return new Set(files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/')))
  } catch (fault) {
    // With the program itself gone as well, nobody knows what it was built with.
    if (!isMissing(fault) || !existsSync(dirname(folder))) throw fault
    return undefined
  }
}

const openFolder = async ({ folder, hash, rewrite }: FolderOptions): Promise<BuiltFiles | undefined> => {
  const paths = await listFolder(folder)
  if (paths === undefined) return undefined
  const kept = new Map<string, Promise<BuiltFile>>()
  const read = async (path: string, type: string): Promise<BuiltFile> => {
    const bytes = await readFile(join(folder, path))
    const isText = type.endsWith('charset=utf-8')
    const served = isText && rewrite !== undefined ? Buffer.from(rewrite(bytes.toString('utf8'), extname(path))) : bytes
    const smaller = await compress(served, { level: 9 })
    return { plain: { body: constantBody(hash, served), type }, gzipped: { body: constantBody(hash, smaller), type } }
  }
  return {
    find: path => {
      const type = TYPES[extname(path)]
      // Only what was listed is read, so no path leads out of the folder.
      if (type === undefined || !paths.has(path)) return undefined
      const reading = kept.get(path) ?? read(path, type)
      kept.set(path, reading)
      // What kept it from being read may be over by the next request.
      void reading.catch(() => kept.delete(path))
      return reading
    },
  }
}

/** Returns the files; undefined where this installation was built without them: they are looked for again. Rejects where they cannot be read. */
export const builtFiles = (options: FolderOptions): (() => Promise<BuiltFiles | undefined>) => {
  let opened: BuiltFiles | undefined
  return async () => (opened ??= await openFolder(options))
}

const ASSET_MAX_AGE_SECONDS = 365 * 86_400

/** `isNamedByContent`: whether its name changes with its content, so that it can be kept. */
export const sendBuiltFile = (
  request: FastifyRequest,
  reply: FastifyReply,
  { plain, gzipped }: BuiltFile,
  isNamedByContent: boolean,
): FastifyReply => {
  void reply.header('vary', 'Accept-Encoding').header('x-content-type-options', 'nosniff')
  if (isNamedByContent) void reply.header('cache-control', `public, max-age=${ASSET_MAX_AGE_SECONDS}, immutable`)
  if (!takesGzip(request.headers['accept-encoding'])) return sendConstant(request, reply, plain)
  return sendConstant(request, reply.header('content-encoding', 'gzip'), gzipped)
}
