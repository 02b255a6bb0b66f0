// The page of the development identity provider on which a person says who they are: nobody asks for a password.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import { ROLES, type Role } from '../../../api/values/access.ts'
import { AGENT_CLIENT_ID, clientIdOf } from './dev-token.ts'

const PATH = /^\/sign-in\/[\w-]{1,64}(?:\/([a-z]{1,20}))?$/

export const signInPath = (uid: string): string => `/sign-in/${uid}`

/** Who signs in, and what the page says of them. */
export type Account = { readonly id: string; readonly name: string; readonly what: string }

const WHAT: Readonly<Record<Role, string>> = {
  viewer: 'reads everything but the audit log',
  operator: 'also revokes tokens and disables agents',
  admin: 'also changes agents, keys and credentials',
}

const OPERATORS: readonly Account[] = ROLES.map(role => ({ id: clientIdOf(role), name: role, what: WHAT[role] }))

/** They have no role. */
const PERSONS: readonly Account[] = ['alice', 'bob'].map(name => ({ id: name, name, what: 'agents act for them' }))

/** Who may sign in for a client of the provider: people for agents, operators for the console. */
export const accountsFor = (clientId: unknown): readonly Account[] =>
  clientId === AGENT_CLIENT_ID ? PERSONS : OPERATORS

export const findAccount = (id: string): Account | undefined =>
  [...OPERATORS, ...PERSONS].find(account => account.id === id)

const STYLE = `body{font:16px/1.6 system-ui,sans-serif;max-width:30rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}
form{margin:.75rem 0}button{font:inherit;width:100%;padding:.6rem 1rem;text-align:left;cursor:pointer}small{display:block;opacity:.75}`

const writePage = (uid: string, accounts: readonly Account[]): string => `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in · development</title>
<style>${STYLE}</style>
<h1>Sign in for development</h1>
<p>This identity provider belongs to <code>mintmark dev</code>, and believes whatever you say.
${accounts
  .map(
    ({ name, what }) =>
      `<form method="post" action="${signInPath(uid)}/${name}"><button>Sign in as ${name}<small>${what}</small></button></form>`,
  )
  .join('\n')}
</html>
`

const headersFor = (redirectUri: unknown) => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // A browser holds the redirects that follow a form to form-action too: they lead to the service, or to an agent.
  'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self' ${new URL(String(redirectUri)).origin}; frame-ancestors 'none'`,
})

const GONE = 'This sign-in is over, or began in another browser. Begin again where it began.\n'

/** Answers what belongs to the page; `rest` answers the rest. */
export const withSignInPage = (provider: Provider, rest: RequestListener): RequestListener => {
  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    name: string | undefined,
  ): Promise<void> => {
    try {
      const { uid, params } = await provider.interactionDetails(request, response)
      const accounts = accountsFor(params['client_id'])
      const chosen = accounts.find(account => account.name === name)
      if (request.method === 'GET' && name === undefined) {
        response.writeHead(200, headersFor(params['redirect_uri'])).end(writePage(uid, accounts))
      } else if (request.method === 'POST' && chosen !== undefined) {
        const login = { accountId: chosen.id, remember: false }
        // A native client needs somebody's consent each time (RFC 8252 §8.6).
        await provider.interactionFinished(request, response, { login, consent: {} })
      } else {
        response.writeHead(405, { 'content-type': 'text/plain', allow: 'GET, POST' }).end()
      }
    } catch {
      if (!response.headersSent) response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' })
      response.end(GONE)
    }
  }

  return (request, response) => {
    const found = PATH.exec(request.url ?? '')
    return found === null ? rest(request, response) : void answer(request, response, found[1])
  }
}
