// Secrets come from files and standard input, never from an option: other users of a machine see those.
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { parseSecretLine } from '../../config/remote.ts'
import { CommandFailed, EXIT } from './exit.ts'

/** What each standard input was read for: a process that runs one command after another has one for each. */
const takenFor = new WeakMap<object, string>()

/** All of standard input, which is there once. `purpose` names what it is read for. */
export const readStandardInput = async (purpose: string): Promise<string> => {
  const { stdin } = process
  const taken = takenFor.get(stdin)
  if (taken !== undefined) throw new CommandFailed(`Standard input is read for ${taken} and ${purpose}.`, EXIT.usage)
  takenFor.set(stdin, purpose)
  return text(stdin)
}

const readPath = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new CommandFailed(`${JSON.stringify(path)} cannot be read (${code}).`)
  }
}

/** What a file holds, or standard input for `-`. */
export const readDocument = (path: string): Promise<string> =>
  path === '-' ? readStandardInput('the document') : Promise.resolve(readPath(path))

/** The one line of a file, or of standard input for `-`. */
export const readSecret = async (path: string, purpose: string): Promise<string> => {
  const content = path === '-' ? await readStandardInput(purpose) : readPath(path)
  const secret = parseSecretLine(content.trim())
  if ('value' in secret) return secret.value
  throw new CommandFailed(`${path === '-' ? 'Standard input' : JSON.stringify(path)} ${secret.wrong}.`)
}
