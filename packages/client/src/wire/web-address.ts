// Where a secret or a token may be sent: over TLS, or to this machine.
import { isBaseAddress, isProtected, parseWebAddress } from '../../../verify/src/readers/web-address.ts'

/** Checks the URL in an option of the caller, to which requests are sent as it is. Throws a TypeError that names the option. */
export const checkAddress = (text: string, option: string, isInsecureAllowed: boolean): string => {
  // A token endpoint may have a query (RFC 6749 §3.2).
  if (!isBaseAddress(text.replaceAll('?', ''))) {
    throw new TypeError(
      `${option} has a fragment, a space, a backslash or a control character; expected the URL alone.`,
    )
  }
  const url = parseWebAddress(text)
  if (url === undefined) throw new TypeError(`${option} is not an absolute URL of https.`)
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`${option} holds a user or a password; expected a plain URL.`)
  }
  if (!isInsecureAllowed && !isProtected(url)) {
    throw new TypeError(
      `${option} is not of https: what is secret would be readable on the way. Use https, or set allowInsecureRequests.`,
    )
  }
  return text
}

/** Like {@link checkAddress}, for a URL to which paths are added. */
export const checkBaseAddress = (text: string, option: string, isInsecureAllowed: boolean): string => {
  if (isBaseAddress(text)) return checkAddress(text, option, isInsecureAllowed)
  throw new TypeError(
    `${option} has a query, a fragment, a space, a backslash or a control character; expected the base URL of the service alone, such as https://auth.example.com.`,
  )
}
