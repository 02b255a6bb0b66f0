// The option of commands that names a service elsewhere.
import { InvalidArgumentError } from 'commander'
import { parseServiceUrl } from '../../config/addresses.ts'

/** Its address, or an end of the command that says what is wrong with it. */
export const serviceUrlOf = (text: string): string => {
  const url = parseServiceUrl(text)
  if ('wrong' in url) throw new InvalidArgumentError(`It ${url.wrong}.`)
  return url.value
}
