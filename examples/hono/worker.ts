// A worker on Hono: reading orders needs the scope db:read, adding one needs db:write. It uses Web APIs only, so it also
// runs where there is no Node.
import { createVerifier, type Mode, type Verifier } from '@mintmark/verify'
import { protectedResource, requireToken, tokenOf } from '@mintmark/verify/hono'
import { Hono } from 'hono'

export type Bindings = {
  readonly ISSUER: string
  readonly AUDIENCE: string
  readonly API_KEY: string
  /** `feed` needs a runtime in which work goes on between requests; `introspect` runs everywhere. */
  readonly MODE: Mode
  /** How operators see this process in mode `feed`: one of its own for each. */
  readonly NAME?: string
}

// One for all requests: it keeps the keys, the position in the feed and the tokens that it has verified.
let verifier: Verifier | undefined

const verifierFor = ({ ISSUER, AUDIENCE, API_KEY, MODE, NAME }: Bindings): Verifier => {
  verifier ??= createVerifier({
    issuer: ISSUER,
    audience: AUDIENCE,
    apiKey: API_KEY,
    mode: MODE,
    ...(NAME !== undefined && { name: NAME }),
    hooks: { failed: problem => console.error(problem) },
  })
  return verifier
}

const orders = ['tea']
const app = new Hono<{ Bindings: Bindings }>()
app.use((context, next) =>
  protectedResource(verifierFor(context.env), { scopes_supported: ['db:read', 'db:write'] })(context, next),
)
app.get(
  '/orders',
  (context, next) => requireToken(verifierFor(context.env), { scopes: ['db:read'] })(context, next),
  context => context.json({ orders, caller: tokenOf(context).claims.sub }),
)
app.post(
  '/orders',
  (context, next) => requireToken(verifierFor(context.env), { scopes: ['db:write'] })(context, next),
  context => context.json({ count: orders.push('tea') }, 201),
)

export default app
