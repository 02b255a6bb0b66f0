// Gets a token, asks whether it is active, revokes it, and asks again.
const { BASE_URL = '', CLIENT_ID = '', CLIENT_SECRET = '', ADMIN_API_KEY = '' } = process.env
const CLIENT = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET }

type Answer = { readonly access_token?: string; readonly active?: boolean }

/** Sends a form. Throws at a refusal. */
const post = async (path: string, form: Record<string, string>, headers: Record<string, string> = {}) => {
  const response = await fetch(BASE_URL + path, { method: 'POST', headers, body: new URLSearchParams(form) })
  if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`)
  return (await response.json()) as Answer
}

const introspect = async (token: string): Promise<void> => {
  const { active } = await post('/oauth/introspect/v2', { token }, { 'X-API-Key': ADMIN_API_KEY })
  console.log(JSON.stringify({ active }))
}

const { access_token: token = '' } = await post('/oauth/token', {
  grant_type: 'client_credentials',
  scope: 'db:read',
  ...CLIENT,
})
await introspect(token)
await post('/oauth/revoke', { token, ...CLIENT })
await introspect(token)
