// The argument that names a token: its id. A whole token there has been seen by everybody who can list processes.
import { isUuid, parseUuid } from '../../../api/values/uuid.ts'
import { CommandFailed, EXIT } from './terminal/exit.ts'
import { parseJson } from './terminal/parse-json.ts'
import { readPastedToken } from './terminal/pasted-token.ts'
import { isRecord } from './terminal/print.ts'

const COMPACT_JWT = /^[\w-]+\.([\w-]+)\.[\w-]*$/

/** The id that a token says it has, unverified. */
const idIn = (payload: string): string | undefined => {
  const claims = parseJson(Buffer.from(payload, 'base64url').toString('utf8'))
  const id = isRecord(claims) ? claims['jti'] : undefined
  return typeof id === 'string' && isUuid(id) ? id : undefined
}

/** Stands for a token on standard input, as no argument does. */
const PASTED = '-'

/** Why a token is no argument. */
export const TOKEN_IN_ARGUMENT =
  'A shell keeps its arguments, and other users of this machine see them: paste the token to standard input instead.'

/** The id that a pasted token says it has, unverified, or the id that was pasted. */
export const idOfPasted = (pasted: string): string => {
  const id = parseUuid(pasted) ?? idIn(COMPACT_JWT.exec(pasted)?.[1] ?? '')
  if (id !== undefined) return id
  throw new CommandFailed('What was pasted is no access token of this service: it has no jti.', EXIT.usage)
}

/** The token that an argument, or else a paste, names. */
export const findTokenId = async (argument = PASTED): Promise<string> =>
  argument === PASTED ? idOfPasted(await readPastedToken()) : readTokenId(argument)

/** The id of a token, or a refusal that never repeats what was given: it may be a secret. */
export const readTokenId = (text: string): string => {
  if (text === PASTED) return text
  const id = parseUuid(text)
  if (id !== undefined) return id
  const [, payload] = COMPACT_JWT.exec(text) ?? []
  if (payload === undefined) throw new CommandFailed('Expected the id of a token: a UUID, its jti.', EXIT.usage)
  const jti = idIn(payload)
  const which = jti === undefined ? 'Its jti is the id.' : `Its id is ${jti}: run the command with that.`
  throw new CommandFailed(`This is a token, where the id of one is expected. ${which} ${TOKEN_IN_ARGUMENT}`, EXIT.usage)
}
