// Prevents DNS rebinding: requests that a web page makes a browser on this machine send under another host name.
import type { RequestListener } from 'node:http'
import { parseTarget } from '../domain/text/text.ts'

/** The `Host` headers that a server on this port of the loopback interface accepts. */
export const loopbackHosts = (port: number): readonly string[] =>
  ['127.0.0.1', 'localhost', '[::1]'].flatMap(name => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]))

/** Answers 421 (RFC 9110 §15.5.20) to a request that names another host. */
export const answerOnlyTo =
  (hosts: readonly string[], listener: RequestListener): RequestListener =>
  (request, response) => {
    // RFC 9112 §3.2.2: the host of a whole URI counts, whatever Host says.
    const host = parseTarget(request.url ?? '')?.host ?? request.headers.host
    if (hosts.includes(host?.toLowerCase() ?? '')) return listener(request, response)
    response.writeHead(421, { 'content-type': 'text/plain', 'cache-control': 'no-store' })
    response.end(`This server answers to ${hosts.join(', ')} only.\n`)
  }
