// The sign-in of operators at their identity provider: authorization code with PKCE (RFC 6749 §4.1, RFC 7636, OpenID Connect
// Core §3.1), by openid-client. Whether the JWT that comes of it names an operator is judged elsewhere, as for any other.
import type { Configuration, CustomFetch } from 'openid-client'
import { RENEWAL_PAUSE_MS, SIGN_IN_MS_MAX } from '../../domain/clients/session.ts'
import { isProviderAddress } from '../../../../packages/verify/src/readers/web-address.ts'
import { Overloaded, Unavailable } from '../../domain/refusal.ts'
import { networkOf, type Source } from '../../domain/source.ts'
import type { SignedIn, SignIn, SignInBegun, SignInRefused } from '../../ports/sessions.ts'
import { type Metrics, NO_METRICS } from '../../ports/metrics.ts'
import { makePermitQueue } from '../../ports/permit-queue.ts'
import type { Timing } from '../../ports/timing.ts'
import { type FinishedSignIns, makeFinishOnce } from './finished-sign-ins.ts'
import {
  causeOfFault,
  explainFault,
  kindOfFault,
  makeMeasuredFetch,
  nameIn,
  type OpenidClient,
  tokensOf,
} from './provider-answers.ts'
import { METADATA_MILLISECONDS_MAX } from './provider-key-set.ts'
import { makeSessionSecrets } from './session-secrets.ts'

/** The client at the provider. */
export type SignInClient = {
  readonly issuer: string
  readonly clientId: string
  /** Null for a public client. */
  readonly clientSecret: string | null
  readonly scope: string
  readonly parameters: Readonly<Record<string, string>>
}

export type SignInOptions = {
  readonly client: SignInClient
  /** The URL to which the provider redirects the browser. */
  readonly callback: string
  readonly keyEncryptionKey: Uint8Array
  /** The clock of the machine, in milliseconds. */
  readonly now: () => number
  readonly timing: Pick<Timing, 'signInAnswerMs' | 'signInWaitMs'>
  /** What all threads of the process share. */
  readonly finished: FinishedSignIns
  readonly metrics?: Metrics
}

/** Anybody may begin as many sign-ins: at once under way at the provider, in a thread. A renewal needs none of them. */
const SIGN_INS_MAX = 20
/** The most sign-ins under way from one network: none keeps the others from signing in. */
const SIGN_INS_OF_ONE_MAX = 5
/** Sign-ins that wait for their turn. */
const SIGN_INS_WAITING_MAX = 256

const BOUNDS = { atOnceMax: SIGN_INS_MAX, ofOneMax: SIGN_INS_OF_ONE_MAX, waitingMax: SIGN_INS_WAITING_MAX }

const UNANSWERED = { toCaller: 'The identity provider does not answer: try again.' } as const
/** The state is finished, and the code may be used up. */
const UNFINISHED = { toCaller: 'The identity provider does not answer: sign in again.' } as const

type Calling = Pick<SignInOptions, 'client'> & {
  readonly timing: Pick<Timing, 'signInAnswerMs'>
  readonly callProvider: CustomFetch
}

const discover = (oidc: OpenidClient, { client, timing, callProvider }: Calling): Promise<Configuration> => {
  const { issuer, clientId, clientSecret } = client
  const authentication = clientSecret === null ? oidc.None() : oidc.ClientSecretBasic(clientSecret)
  return oidc.discovery(new URL(issuer), clientId, undefined, authentication, {
    timeout: timing.signInAnswerMs / 1000,
    [oidc.customFetch]: callProvider,
    // The configuration takes such an issuer on this machine alone.
    ...(issuer.startsWith('http:') && { execute: [oidc.allowInsecureRequests] }),
  })
}

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint'] as const

/** A browser is sent to the first, codes and the client's secret to the second. The library checks neither before it uses it. */
const assertEndpoints = (configuration: Configuration): void => {
  const metadata = configuration.serverMetadata()
  const wrong = ENDPOINTS.find(name => typeof metadata[name] !== 'string' || !isProviderAddress(metadata[name]))
  if (wrong === undefined) return
  throw new Unavailable(`the metadata of the identity provider names no usable ${wrong}`, UNANSWERED)
}

type Known = { readonly oidc: OpenidClient; readonly configuration: Configuration }

/** Loads the library and reads the provider's metadata when they are first needed, and again when they are old, or after a fault. */
const makeConfigured = (calling: Calling & Pick<SignInOptions, 'now'>) => {
  const { now } = calling
  let known: { readonly at: number; readonly value: Promise<Known> } | undefined
  const read = async (oidc: OpenidClient): Promise<Known> => {
    const configuration = await discover(oidc, calling)
    assertEndpoints(configuration)
    return { oidc, configuration }
  }
  return async (): Promise<Known> => {
    // That it is missing is no fault of the provider.
    const oidc = await import('openid-client')
    const before = known
    // The clock may have been set back.
    const isOld = before !== undefined && Math.abs(now() - before.at) >= METADATA_MILLISECONDS_MAX
    const current = before === undefined || isOld ? { at: now(), value: read(oidc) } : before
    known = current
    try {
      return await current.value
    } catch (cause) {
      // Metadata that was read before is used for another period; after a failed first reading there is none.
      if (known === current) known = isOld ? { ...before, at: now() } : undefined
      if (isOld) return before.value
      if (cause instanceof Unavailable) throw cause
      throw new Unavailable('the metadata of the identity provider cannot be read', { cause, ...UNANSWERED })
    }
  }
}

/** Our own configuration is at fault, not the operator: it ends no session. */
class ClientRefused extends Unavailable {}

const refuseClient = (oidc: OpenidClient, cause: unknown): ClientRefused => {
  const toCaller = explainFault(oidc, cause)
  return new ClientRefused(`the client of the console is not taken: ${toCaller}`, { cause, toCaller })
}

type Asking = {
  /** The faults that another try does not help against: what the provider refuses is a value. */
  readonly refusals: readonly ReturnType<typeof kindOfFault>[]
  readonly outage: string
  readonly toCaller: string
}

/** Whatever the provider does not answer, or answers in no form that we know, is Unavailable. */
const RENEWAL: Asking = {
  refusals: ['refused'],
  outage: 'the identity provider does not answer as it should',
  ...UNANSWERED,
}

/** How a browser is answered that came back: only an outage is Unavailable, for another try does not help against a wrong response. */
const CODE: Asking = { refusals: ['refused', 'other'], outage: 'the identity provider does not answer', ...UNFINISHED }

const ask = async <T>(
  oidc: OpenidClient,
  { refusals, outage, toCaller }: Asking,
  request: () => Promise<T>,
): Promise<T | SignInRefused> => {
  try {
    return await request()
  } catch (fault) {
    const kind = kindOfFault(oidc, fault)
    if (refusals.includes(kind)) return { refused: explainFault(oidc, fault), inside: causeOfFault(fault) }
    if (kind === 'client_refused') throw refuseClient(oidc, fault)
    throw new Unavailable(outage, { cause: fault, toCaller })
  }
}

const FULL = { toCaller: 'Too many operators sign in at once: try again.' } as const

/** The turns of sign-ins to ask the provider, which networks share. */
const makeTurns = ({ signInWaitMs: waitMs }: SignInOptions['timing']) => {
  const queue = makePermitQueue(BOUNDS)
  return <T>(source: Source, work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      queue.enter(networkOf(source), {
        begin: release => void work().then(resolve, reject).finally(release),
        refuse: () => reject(new Overloaded('too many operators sign in at once', FULL)),
        waitMs,
      })
    })
}

/** While the provider refuses the client, one renewal in 15 s asks it, of whichever session: some lock a client that tries on. */
const makeUnlessRefused = (now: () => number) => {
  let last: { readonly fault: ClientRefused; readonly at: number } | undefined
  return async <T>(renew: () => Promise<T>): Promise<T> => {
    // The clock may have been set back.
    if (last !== undefined && Math.abs(now() - last.at) < RENEWAL_PAUSE_MS) throw last.fault
    try {
      return await renew()
    } catch (fault) {
      if (fault instanceof ClientRefused) last = { fault, at: now() }
      throw fault
    }
  }
}

/** Makes the sign-in of one thread. */
export const makeSignIn = (options: SignInOptions): SignIn => {
  const { client, callback, keyEncryptionKey, now, timing, metrics = NO_METRICS } = options
  const configured = makeConfigured({ client, timing, now, callProvider: makeMeasuredFetch(metrics) })
  const inTurn = makeTurns(timing)
  const unlessRefused = makeUnlessRefused(now)
  const finishOnce = makeFinishOnce(options.finished)
  const secrets = makeSessionSecrets(keyEncryptionKey)

  const begin = async (to: string): Promise<SignInBegun> => {
    const { oidc, configuration } = await configured()
    const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()]
    const location = oidc.buildAuthorizationUrl(configuration, {
      ...client.parameters,
      redirect_uri: callback,
      scope: client.scope,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const pending = secrets.pending.seal({ state, nonce, verifier, to, until: now() + SIGN_IN_MS_MAX })
    return { location: location.href, state, pending }
  }

  const finish = async (url: URL, sealed: string): Promise<SignedIn | SignInRefused> => {
    const pending = secrets.pending.open(sealed)
    if (pending === undefined || now() >= pending.until) {
      return { refused: 'The sign-in took longer than ten minutes, or began elsewhere.' }
    }
    const { state: expectedState, nonce: expectedNonce, verifier: pkceCodeVerifier, to } = pending
    const { oidc, configuration } = await configured()
    // A callback with another state asks nothing: the library refuses it.
    const isItsOwn = url.searchParams.getAll('state').join() === expectedState
    if (isItsOwn && !finishOnce(expectedState)) return { refused: 'This sign-in was called back before.' }
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
    return ask(oidc, CODE, async () => {
      const answer = await oidc.authorizationCodeGrant(configuration, url, checks)
      return { tokens: tokensOf(answer, { earlier: null, now: now() }), name: nameIn(answer.claims() ?? {}), to }
    })
  }

  return {
    begin: (to, source) => inTurn(source, () => begin(to)),
    finish: (url, sealed, source) => inTurn(source, () => finish(url, sealed)),
    wanted: pending => secrets.pending.open(pending)?.to,
    renew: refreshToken =>
      unlessRefused(async () => {
        const { oidc, configuration } = await configured()
        return ask(oidc, RENEWAL, async () => {
          const answer = await oidc.refreshTokenGrant(configuration, refreshToken)
          return tokensOf(answer, { earlier: refreshToken, now: now() })
        })
      }),
    seal: secrets.tokens.seal,
    open: secrets.tokens.open,
  }
}
