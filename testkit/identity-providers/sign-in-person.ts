// Signs a person in at the development identity provider, as their browser and the agent's program do together.
import { createHash, randomBytes } from 'node:crypto'
import { TOKEN_EXCHANGE } from '../../api/values/delegation.ts'

export type AgentAtProvider = {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Where nothing listens: the redirect to it ends the sign-in. */
const CALLBACK = 'http://127.0.0.1:9/callback'

/** A form is posted. */
type Browser = (url: string, form?: URLSearchParams) => Promise<Response>

/** Keeps cookies, and follows no redirect by itself. */
export const makeBrowser = (): Browser => {
  const cookies = new Map<string, string>()
  return async (url, body) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const method = body === undefined ? 'GET' : 'POST'
    const response = await fetch(url, { method, redirect: 'manual', headers: { cookie }, ...(body && { body }) })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return response
  }
}

/** The form that somebody submits on a page, by the button of this name or, where a script does it, by none. */
const submitOn = (
  html: string,
  name: string,
): { readonly action: string; readonly form: URLSearchParams } | undefined => {
  const button = new RegExp(`action="([^"]*/${name})"`).exec(html)?.[1]
  if (button !== undefined) return { action: button, form: new URLSearchParams() }
  const action = html.includes('.submit()') ? /action="([^"]*)"/.exec(html)?.[1] : undefined
  if (action === undefined) return undefined
  const hidden = html.matchAll(/name="(\w+)" value="([^"]*)"/g)
  return { action, form: new URLSearchParams([...hidden].map(([, key = '', value = '']) => [key, value])) }
}

/** Where the provider redirects the browser at the end, once the named button was pressed on its page. The browser does not go there. */
export const followSignIn = async (
  authorizationUrl: string,
  name: string,
  browser: Browser = makeBrowser(),
): Promise<URL> => {
  const callback = new URL(authorizationUrl).searchParams.get('redirect_uri') ?? ''
  let [url, form]: [string, URLSearchParams | undefined] = [authorizationUrl, undefined]
  for (let step = 0; step < 10; step += 1) {
    const response = await browser(url, form)
    const location = response.headers.get('location')
    const submitted = location === null ? submitOn(await response.text(), name) : undefined
    if (location === null && submitted === undefined) throw new Error(`${url}: ${response.status}, and no ${name}.`)
    const next = new URL(location ?? submitted?.action ?? '', url)
    if (next.href.startsWith(`${callback}?`)) return next
    url = next.href
    form = submitted?.form
  }
  throw new Error('The sign-in does not end.')
}

const VERIFIER = randomBytes(32).toString('base64url')

/** What an agent sends a browser to, with further parameters. */
export const authorizationUrlOf = (
  { issuer, clientId }: Pick<AgentAtProvider, 'issuer' | 'clientId'>,
  parameters: Readonly<Record<string, string>> = {},
): string => {
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: CALLBACK,
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    ...parameters,
  })
  return `${issuer}/auth?${query.toString()}`
}

/** What the provider answers to the code of the callback, with further parameters. */
export const sendCode = (
  { issuer, clientId, clientSecret }: AgentAtProvider,
  callback: URL,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code') ?? '',
      redirect_uri: callback.origin + callback.pathname,
      code_verifier: VERIFIER,
      client_id: clientId,
      client_secret: clientSecret,
      ...parameters,
    }),
  })

/** The ID token. A browser that is given may have signed somebody in before. */
export const signInPerson = async (agent: AgentAtProvider, name: string, browser?: Browser): Promise<string> => {
  const response = await sendCode(agent, await followSignIn(authorizationUrlOf(agent), name, browser))
  const answer = (await response.json()) as { readonly id_token?: string }
  if (answer.id_token === undefined) throw new Error(`${response.status} ${JSON.stringify(answer)}`)
  return answer.id_token
}

/** What the provider answers to the request for an ID-JAG. */
export const askIdJag = (
  { issuer, clientId, clientSecret }: AgentAtProvider,
  fields: Readonly<Record<string, string>>,
): Promise<Response> =>
  fetch(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: TOKEN_EXCHANGE,
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      client_id: clientId,
      client_secret: clientSecret,
      ...fields,
    }),
  })
