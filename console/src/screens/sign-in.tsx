// Before anybody is signed in, and where somebody is who may see nothing.
import { useEffect, useRef, useState } from 'react'
import { interruptAct, type Interrupted, type Outcome, useOutcome } from '../acts/open-act.ts'
import { useSignOut } from '../parts/use-sign-out.tsx'
import { type Session, signInAddress } from '../reading/service.ts'

const SignIn = () => (
  <a className="button primary" href={signInAddress(window.location.pathname + window.location.search)}>
    Sign in
  </a>
)

export const SignedOut = () => (
  <main className="entry">
    <h1>Mintmark</h1>
    <p>See every token, explain any, end all of them.</p>
    <SignIn />
  </main>
)

const WHAT_BECAME: Readonly<Record<Outcome, string>> = {
  asked: 'was not done: nothing was changed.',
  sending: 'is being sent.',
  unknown: 'was sent, and nothing was heard of it: whether it was done, the audit log says.',
  done: 'was done.',
}

/** Says what became of the act. Of an act on several records the outcome of some is known: the text counts them. */
const becameOf = ({ outcome, progress }: Interrupted): string =>
  outcome === 'unknown' && progress !== undefined
    ? `was sent: ${progress}. The audit log has those that were done.`
    : WHAT_BECAME[outcome]

/** Where a question was open, what became of it. */
export const SessionEnded = () => {
  const [act, setAct] = useState<Interrupted>()
  const heading = useRef<HTMLHeadingElement>(null)
  const outcome = useOutcome()
  useEffect(() => {
    const interrupted = interruptAct()
    if (interrupted !== undefined) setAct(interrupted)
  }, [outcome])
  useEffect(() => heading.current?.focus(), [])
  return (
    <main className="entry">
      <h1 ref={heading} tabIndex={-1}>
        Your session has ended
      </h1>
      {act !== undefined && (
        <p role="status">
          “{act.title}” {becameOf(act)}
          {act.hasNote && ' Your note is kept: it stands there when you ask again.'}
        </p>
      )}
      <p>Sign in to go on where you were.</p>
      <SignIn />
    </main>
  )
}

export const SignInOff = () => (
  <main className="entry">
    <h1>The console is off</h1>
    <p>
      Nobody can sign in, because this service has no client at the identity provider of its operators. Its
      administrator sets <code>MINTMARK_CONSOLE_CLIENT_ID</code> and starts it again. The command line works meanwhile:
    </p>
    <pre>mintmark top</pre>
  </main>
)

export const NoRole = ({ session }: { readonly session: Session }) => {
  const { signOut, fault } = useSignOut()
  return (
    <main className="entry">
      <h1>You have no role here</h1>
      <p>
        You are signed in as <bdi>{session.operator.name ?? session.operator.sub}</bdi>, and the identity provider{' '}
        <code>{session.operator.iss}</code> gave you none of the roles of this service: viewer, operator or admin. Ask
        its administrator.
      </p>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
      {fault}
    </main>
  )
}
