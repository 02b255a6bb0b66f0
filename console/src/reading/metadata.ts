// The metadata of the authorization server (RFC 8414), which anyone may read.
import { baseUrl } from './service.ts'

/** RFC 8414 §3.1: between the host and the path of the issuer. */
const addressOfMetadata = (): string => {
  const { origin, pathname } = new URL(baseUrl)
  return `${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`
}

export const readMetadata = async (signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> => {
  const response = await fetch(addressOfMetadata(), { signal })
  if (!response.ok) throw new Error(`The service answers ${response.status} when it is asked for its metadata.`)
  const metadata: unknown = await response.json()
  if (typeof metadata !== 'object' || metadata === null) throw new Error('The metadata of the service is no object.')
  return { ...metadata }
}
