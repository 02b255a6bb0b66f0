// The service that served this page: its administration, with the cookie of the session, and the session itself.
import { ApiUnavailable } from '../../../packages/client/src/administration/api-errors.ts'
import { createAdministration } from '../../../packages/client/src/administration/create-administration.ts'
import { noteDate } from './service-clock.ts'

/** The base URL of the service, without a slash at its end. */
export const baseUrl = new URL('..', document.baseURI).href.replace(/\/$/, '')

const timed: typeof fetch = async (input, init) => {
  const sentAtMs = Date.now()
  const response = await fetch(input, init)
  noteDate(response.headers.get('date'), sentAtMs, Date.now())
  return response
}

const administrationBy = (send: typeof fetch) =>
  createAdministration({ url: baseUrl, cookie: true, allowInsecureRequests: true, fetch: send })

export const administration = administrationBy(timed)

/** With the id of its request, by which the audit log has an act whose answer does not say when it was. */
export const withRequestId = async <Made>(act: (by: typeof administration) => Promise<Made>) => {
  const answers: Response[] = []
  const made = await act(
    administrationBy(async (input, init) => {
      const answer = await timed(input, init)
      answers.push(answer)
      return answer
    }),
  )
  return { made, requestId: answers.at(-1)?.headers.get('x-request-id') ?? null }
}

export type Role = 'viewer' | 'operator' | 'admin'

export type Session = {
  readonly operator: { readonly iss: string; readonly sub: string; readonly name: string | null }
  readonly role: Role | null
  readonly expires_at: string
}

/** Nobody is signed in; or nobody can, because no client is configured. */
export type NoSession = 'signed-out' | 'off'

/** What an answer without success says; something in front of the service may have answered. */
const descriptionOf = async (response: Response): Promise<string> => {
  const answer = (await response.json().catch(() => null)) as { readonly error_description?: unknown } | null
  const said = answer?.error_description
  return typeof said === 'string' ? said : 'and not as Mintmark does'
}

export const readSession = async (): Promise<Session | NoSession> => {
  const response = await timed(`${baseUrl}/console/session`, { cache: 'no-store' })
  if (response.status === 401) return 'signed-out'
  if (response.status === 404) return 'off'
  // The browser sends more cookies than the service reads, which its description says.
  if (response.status === 431) throw new Error(await descriptionOf(response))
  // Mostly it is the identity provider that cannot be asked: the session goes on once it can be.
  if (response.status === 503) throw new ApiUnavailable(`it answers 503 (${await descriptionOf(response)})`)
  if (!response.ok) throw new Error(`The service answers ${response.status} when it is asked who is signed in.`)
  return (await response.json()) as Session // as docs/decisions/0080-console.md says
}

export const signInAddress = (to: string): string =>
  `${baseUrl}/console/sign-in?${new URLSearchParams({ to }).toString()}`

export const signOut = async (): Promise<void> => {
  const response = await fetch(`${baseUrl}/console/sign-out`, { method: 'POST' }).catch(() => undefined)
  if (response === undefined) throw new ApiUnavailable('the sign-out did not reach it')
  if (!response.ok && response.status !== 401) throw new ApiUnavailable(`it answers ${response.status} to the sign-out`)
}
