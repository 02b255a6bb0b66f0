// Where a secret or a token may be sent: over TLS, or to this machine.
import { isProtected } from '../../../verify/src/readers/web-address.ts'

/** Checks the URL in an option of the caller. Throws a TypeError that names the option. */
export const checkAddress = (text: string, option: string, isInsecureAllowed: boolean): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(`${option} is not an absolute URL of https.`)
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw new TypeError(`${option} holds a user, a password or a fragment; expected a plain URL.`)
  }
  if (!isInsecureAllowed && !isProtected(url)) {
    throw new TypeError(
      `${option} is not of https: what is secret would be readable on the way. Use https, or set allowInsecureRequests.`,
    )
  }
  return text
}
