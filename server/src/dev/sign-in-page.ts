// The page of the development identity provider on which a person says who they are: nobody asks for a password.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import { ROLES, type Role } from '../../../api/values/access.ts'
import { clientIdOf } from './dev-token.ts'

const PATH = /^\/sign-in\/[\w-]{1,64}(?:\/(viewer|operator|admin))?$/

export const signInPath = (uid: string): string => `/sign-in/${uid}`

const WHAT: Readonly<Record<Role, string>> = {
  viewer: 'reads everything but the audit log',
  operator: 'also revokes tokens and disables agents',
  admin: 'also changes agents, keys and credentials',
}

const STYLE = `body{font:16px/1.6 system-ui,sans-serif;max-width:30rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}
form{margin:.75rem 0}button{font:inherit;width:100%;padding:.6rem 1rem;text-align:left;cursor:pointer}small{display:block;opacity:.75}`

const writePage = (uid: string): string => `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in · development</title>
<style>${STYLE}</style>
<h1>Sign in for development</h1>
<p>This identity provider belongs to <code>mintmark dev</code>, and believes whatever you say.
${ROLES.map(
  role =>
    `<form method="post" action="${signInPath(uid)}/${role}"><button>Sign in as ${role}<small>${WHAT[role]}</small></button></form>`,
).join('\n')}
</html>
`

const headersFor = (baseUrl: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // A browser holds the redirects that follow a form to form-action too: they lead to the service.
  'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self' ${new URL(baseUrl).origin}; frame-ancestors 'none'`,
})

const GONE = 'This sign-in is over, or began in another browser. Begin again in the console.\n'

/** Answers what belongs to the page; `rest` answers the rest. */
export const withSignInPage = (provider: Provider, baseUrl: string, rest: RequestListener): RequestListener => {
  const headers = headersFor(baseUrl)

  const answer = async (request: IncomingMessage, response: ServerResponse, role: Role | undefined): Promise<void> => {
    try {
      const { uid } = await provider.interactionDetails(request, response)
      if (request.method === 'GET' && role === undefined) {
        response.writeHead(200, headers).end(writePage(uid))
      } else if (request.method === 'POST' && role !== undefined) {
        const login = { accountId: clientIdOf(role), remember: false }
        await provider.interactionFinished(request, response, { login })
      } else {
        response.writeHead(405, { 'content-type': 'text/plain' }).end()
      }
    } catch {
      if (!response.headersSent) response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' })
      response.end(GONE)
    }
  }

  return (request, response) => {
    const found = PATH.exec(request.url ?? '')
    if (found === null) return rest(request, response)
    return void answer(
      request,
      response,
      ROLES.find(role => role === found[1]),
    )
  }
}
