// The remote service that a command calls, and the credential for it.
import type { SettingReader } from './reader.ts'

/** Where both credentials are set, the JWT is sent, and the API key where an operation takes no JWT. */
export type RemoteConfig = {
  /** The base URL of the service, without a trailing slash. */
  readonly url: string
  readonly apiKey: string | null
  readonly operatorJwt: string | null
}

/** Options of the command line. */
export type GivenRemote = {
  readonly url?: string | undefined
  /** Whether the credential comes from elsewhere, so that those in the environment are ignored. */
  readonly isCredentialGiven: boolean
}

/** Returns null if no service is named. */
export const readRemote = (read: SettingReader, { url, isCredentialGiven }: GivenRemote): RemoteConfig | null => {
  const named = url ?? read.value('MINTMARK_URL')
  if (named === undefined) return null
  if (isCredentialGiven) return { url: named, apiKey: null, operatorJwt: null }
  return {
    url: named,
    apiKey: read.value('MINTMARK_API_KEY') ?? null,
    operatorJwt: read.value('MINTMARK_OPERATOR_JWT') ?? null,
  }
}
