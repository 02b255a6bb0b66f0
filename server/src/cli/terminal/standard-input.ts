// Secrets come from files and standard input, never from an option: other users of a machine see those.
import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync } from 'node:fs'
import { isCompactJws, readPasted } from '../../../../api/values/pasted-token.ts'
import { parseSecretLine } from '../../config/values.ts'
import { CommandFailed, EXIT } from './exit.ts'

/** Any document or secret, from standard input or a file, unless its reader says otherwise; a service takes less. */
const DOCUMENT_BYTES_MAX = 67_108_864

/** What each standard input was read for: a process that runs one command after another has one for each. */
const takenFor = new WeakMap<object, string>()

/** Without a byte order mark. */
const decode = (bytes: Buffer): string => new TextDecoder().decode(bytes)

/** All of a stream, unless it is longer: then the rest is left unread. */
const readAtMost = async (stream: NodeJS.ReadableStream, bytesMax: number, purpose: string): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    const part = Buffer.from(chunk)
    bytes += part.byteLength
    if (bytes > bytesMax)
      throw new CommandFailed(`Standard input is not ${purpose}: it has more than ${bytesMax} bytes.`, EXIT.usage)
    chunks.push(part)
  }
  return Buffer.concat(chunks)
}

/** All of standard input, which is there once. */
const takeStandardInput = async (purpose: string, bytesMax = DOCUMENT_BYTES_MAX): Promise<Buffer> => {
  const { stdin } = process
  const taken = takenFor.get(stdin)
  if (taken !== undefined) throw new CommandFailed(`Standard input is read for ${taken} and ${purpose}.`, EXIT.usage)
  takenFor.set(stdin, purpose)
  return readAtMost(stdin, bytesMax, purpose)
}

/** The same as text. `purpose` names what it is read for; what is longer than `bytesMax` is refused. */
export const readStandardInput = async (purpose: string, bytesMax?: number): Promise<string> =>
  decode(await takeStandardInput(purpose, bytesMax))

const PIECE_BYTES = 65_536

/** All of a file, of which the size is not asked: that of a pipe or a device is not known. Undefined where it is longer. */
const readFileAtMost = (path: string, bytesMax: number): Buffer | undefined => {
  const file = openSync(path, 'r')
  try {
    const pieces: Buffer[] = []
    for (let bytes = 0; bytes <= bytesMax; ) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES)
      const read = readSync(file, piece)
      if (read === 0) return Buffer.concat(pieces)
      pieces.push(piece.subarray(0, read))
      bytes += read
    }
    return undefined
  } finally {
    closeSync(file)
  }
}

/** A secret that stands in the place of the file that has it is not repeated. */
const nameOf = (path: string): string => {
  const { text, not } = readPasted(path)
  return isCompactJws(text) || not === 'secret' ? 'A file with the name of a secret' : JSON.stringify(path)
}

const readPath = (path: string, bytesMax = DOCUMENT_BYTES_MAX): Buffer => {
  try {
    const bytes = readFileAtMost(path, bytesMax)
    if (bytes !== undefined) return bytes
    throw new CommandFailed(`${nameOf(path)} has more than ${bytesMax} bytes.`, EXIT.usage)
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new CommandFailed(`${nameOf(path)} cannot be read (${code}).`)
  }
}

/** What a file holds, or standard input for `-`: in UTF-8, as a service takes it; names in another encoding would be spoiled. */
export const readDocument = async (path: string, bytesMax = DOCUMENT_BYTES_MAX): Promise<string> => {
  const bytes = path === '-' ? await takeStandardInput('the document', bytesMax) : readPath(path, bytesMax)
  if (isUtf8(bytes)) return decode(bytes)
  throw new CommandFailed(
    `${path === '-' ? 'Standard input' : JSON.stringify(path)} is not in UTF-8: convert it first.`,
  )
}

/** The one line of a file, or of standard input for `-`. */
export const readSecret = async (path: string, purpose: string): Promise<string> => {
  const content = path === '-' ? await readStandardInput(purpose) : decode(readPath(path))
  const secret = parseSecretLine(content.trim())
  if ('value' in secret) return secret.value
  throw new CommandFailed(`${path === '-' ? 'Standard input' : JSON.stringify(path)} ${secret.wrong}.`)
}
