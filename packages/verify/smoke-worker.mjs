// What the installed package must do where work ends with the request that began it, over several requests: npm run check:packages
// bundles this as a worker. The path is the mode of the verifier.
import { createVerifier } from '@mintmark/verify'
import { protect } from '@mintmark/verify/fetch'

/** One for all requests of a mode, as a program has it. */
const verifiers = new Map()

const optionsOf = ({ ISSUER: issuer, AUDIENCE: audience, API_KEY: apiKey }) => ({ issuer, audience, apiKey })

const verifierFor = (mode, env) => {
  const verifier = verifiers.get(mode) ?? createVerifier({ ...optionsOf(env), mode, maxStaleness: 1 })
  verifiers.set(mode, verifier)
  return verifier
}

const answer = (_request, { by }) => new Response(by)

/** One for a single request: it follows the feed for as long as that takes. */
const verifyOnce = async (request, env) => {
  const verifier = createVerifier({ ...optionsOf(env), whenStale: 'refuse' })
  await verifier.ready()
  const response = await protect(verifier, answer)(request)
  verifier.close()
  return response
}

/** Begins to read the key set, and does not wait for it. */
const leave = env => {
  void verifierFor('offline', env).ready()
  return new Response('left')
}

// oxlint-disable-next-line import/no-default-export -- A worker is its default export.
export default {
  fetch: (request, env) => {
    const mode = new URL(request.url).pathname.slice(1)
    if (mode === 'listening') return new Response()
    if (mode === 'leave') return leave(env)
    return mode === 'once' ? verifyOnce(request, env) : protect(verifierFor(mode, env), answer)(request)
  },
}
