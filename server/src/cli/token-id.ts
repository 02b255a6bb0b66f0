// The argument that names a token: its id. A whole token there has been seen by everybody who can list processes.
import { introspectToken } from '../../../api/oauth.ts'
import { showToken } from '../../../api/tokens.ts'
import { isUuid, parseUuid } from '../../../api/values/uuid.ts'
import { splitCompact } from '../../../packages/verify/src/readers/compact-jws.ts'
import { type Api, ApiRefusal } from './remote/api.ts'
import { CommandFailed, EXIT } from './terminal/exit.ts'
import { parseJson } from './terminal/parse-json.ts'
import { readPastedToken } from './terminal/pasted-token.ts'
import { isRecord, type PrintedRecord } from './terminal/print.ts'

/** The id that a token says it has, unverified; undefined for any other text. */
const idIn = (text: string): string | undefined => {
  const [, payload = ''] = splitCompact(text) ?? []
  const claims = parseJson(Buffer.from(payload, 'base64url').toString('utf8'))
  const id = isRecord(claims) ? claims['jti'] : undefined
  return typeof id === 'string' && isUuid(id) ? id : undefined
}

/** Stands for a token on standard input, as no argument does. */
export const PASTED = '-'

/** Why a token is no argument. */
export const TOKEN_IN_ARGUMENT =
  'A shell keeps its arguments, and other users of this machine see them: paste the token to standard input instead.'

/** The id that a pasted token says it has, unverified, or the id that was pasted. */
export const idOfPasted = (pasted: string): string => {
  const id = parseUuid(pasted) ?? idIn(pasted)
  if (id !== undefined) return id
  throw new CommandFailed('What was pasted is no access token of this service: it has no jti.', EXIT.usage)
}

/** What names a token. `text` is there where a token was pasted, whose id nobody has verified. */
export type NamedToken = { readonly id: string; readonly text?: string }

/** The token that an argument, or else a paste, names. */
export const findToken = async (argument = PASTED): Promise<NamedToken> => {
  if (argument !== PASTED) return { id: readTokenId(argument) }
  const pasted = await readPastedToken()
  const id = idOfPasted(pasted)
  return parseUuid(pasted) === undefined ? { id, text: pasted } : { id }
}

/** The id of a token that is only shown: nothing depends on who made the text. */
export const findTokenId = async (argument?: string): Promise<string> => (await findToken(argument)).id

const NOT_OURS =
  'What was pasted is no token of this service that is active, and nothing was ended. To end the token whose id it has, name that'

const UNVERIFIED = 'To end a pasted token takes the permission tokens:introspect too. Without it name the id'

const TAKES_KEY =
  'Introspection takes an API key with the permission tokens:introspect, and no JWT of an operator: set MINTMARK_API_KEY to such a key, or give --api-key-file.'

/** What introspection answers. A service that does not take the credential takes no other kind than an API key there. */
export const introspect = async (api: Api, token: string): Promise<PrintedRecord> => {
  try {
    return await api.call(introspectToken, { form: { token } })
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 401) throw error
    throw new CommandFailed(`${error.message} ${TAKES_KEY}`, error.exitCode, error.error)
  }
}

/** Whether introspection shows that the text is a token of this service; false where it is none, or has ended. */
const isOurs = async (api: Api, { id, text = '' }: NamedToken): Promise<boolean> => {
  try {
    const { active, jti } = await introspect(api, text)
    return active === true && jti === id
  } catch (error) {
    const isRefused = error instanceof ApiRefusal && error.status === 403
    throw isRefused ? new CommandFailed(`${UNVERIFIED}: mintmark token revoke ${id}`) : error
  }
}

const hasEnded = async (api: Api, id: string): Promise<boolean> => {
  try {
    return (await api.call(showToken, { path: { id } }))['state'] === 'ended'
  } catch (error) {
    if (error instanceof ApiRefusal) return false
    throw error
  }
}

/** The id of a token that is to be ended. Fails for a pasted text that this service did not issue: anybody can write an id into one. */
export const verifyToken = async (api: Api, named: NamedToken): Promise<string> => {
  const { id, text } = named
  if (text === undefined || (await isOurs(api, named)) || (await hasEnded(api, id))) return id
  throw new CommandFailed(`${NOT_OURS}: mintmark token revoke ${id}`)
}

/** The id of a token, or a refusal that never repeats what was given: it may be a secret. */
export const readTokenId = (text: string): string => {
  if (text === PASTED) return text
  const id = parseUuid(text)
  if (id !== undefined) return id
  if (splitCompact(text) === undefined)
    throw new CommandFailed('Expected the id of a token: a UUID, its jti.', EXIT.usage)
  const jti = idIn(text)
  const which = jti === undefined ? 'Its jti is the id.' : `Its id is ${jti}: run the command with that.`
  throw new CommandFailed(`This is a token, where the id of one is expected. ${which} ${TOKEN_IN_ARGUMENT}`, EXIT.usage)
}
