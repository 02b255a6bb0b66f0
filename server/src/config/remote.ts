// The remote service that a command calls, and the credential for it.
import { parsePasted } from '../../../api/values/pasted-token.ts'
import { trimCharacters } from '../domain/text/text.ts'
import type { SettingReader } from './reader.ts'
import { parseIssuer, type Parser } from './values.ts'

/** Where both credentials are set, the JWT is sent, and the API key where an operation takes no JWT. */
export type RemoteConfig = {
  /** The base URL of the service, without a trailing slash. */
  readonly url: string
  readonly apiKey: string | null
  readonly operatorJwt: string | null
}

/** The address of a service: https, or http on loopback. */
export const parseServiceUrl: Parser<string> = text => {
  const address = parseIssuer(text)
  return 'wrong' in address ? address : { value: trimCharacters(new URL(text).href, '/') }
}

/** A secret that is sent in a header. The message must not contain any of it. */
export const parseSecretLine: Parser<string> = text =>
  /^[\x21-\x7E]{1,8192}$/.test(text) ? { value: text } : { wrong: 'is not one line of printable ASCII without spaces' }

/** A token as people paste it. */
export const parsePastedToken: Parser<string> = text => {
  const pasted = parsePasted(text)
  return 'wrong' in pasted ? pasted : parseSecretLine(pasted.value)
}

/** Options of the command line. */
export type GivenRemote = {
  readonly url?: string | undefined
  /** Whether the credential comes from elsewhere, so that those in the environment are ignored. */
  readonly isCredentialGiven: boolean
}

/** Returns null if no service is named. */
export const readRemote = (read: SettingReader, { url, isCredentialGiven }: GivenRemote): RemoteConfig | null => {
  const named = url ?? read.optional('MINTMARK_URL', parseServiceUrl)
  if (named === undefined) return null
  if (isCredentialGiven) return { url: named, apiKey: null, operatorJwt: null }
  return {
    url: named,
    apiKey: read.optional('MINTMARK_API_KEY', parseSecretLine) ?? null,
    operatorJwt: read.optional('MINTMARK_OPERATOR_JWT', parseSecretLine) ?? null,
  }
}
