// The frame of the console: who is signed in, the screens, and the one that the address names.
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { lazy, useEffect, useRef, useState } from 'react'
import { ApiUnavailable } from '../../packages/client/src/administration/api-errors.ts'
import { ActHost } from './acts/act-host.tsx'
import { addressOf, useAddress } from './address.ts'
import type { Jump } from './keyboard/keys.ts'
import { useKeys } from './keyboard/use-keys.ts'
import { Later } from './parts/later.tsx'
import { Link } from './parts/link.tsx'
import { OperatorMenu } from './operator-menu.tsx'
import { Suspended } from './parts/suspended.tsx'
import { Reading, Waiting } from './parts/waiting.tsx'
import { useLiveStream } from './reading/live-stream.ts'
import { makeQueryClient, SESSION_KEY } from './reading/query-client.ts'
import { includes, RoleContext } from './reading/role.ts'
import { readSession, type Role, type Session } from './reading/service.ts'
import { NoRole, SessionEnded, SignedOut, SignInOff } from './screens/sign-in.tsx'
import { type Screen, SCREENS } from './screens/screens.ts'
import { HeaderSearch } from './search/header-search.tsx'

const queryClient = makeQueryClient()

const KeyHelp = lazy(async () => ({ default: (await import('./keyboard/key-help.tsx')).KeyHelp }))

const CONTENT_ID = 'screen'

const Navigation = ({
  screens,
  current,
}: {
  readonly screens: readonly Screen[]
  readonly current: Screen | undefined
}) => {
  const place = useRef<HTMLElement>(null)
  // On a narrow screen it scrolls: the current one is in sight.
  useEffect(() => {
    place.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
  return (
    <nav aria-label="Screens" ref={place}>
      {screens.map(screen => (
        <Link key={screen.path} to={addressOf(screen.path)} isCurrent={screen === current}>
          {screen.title}
        </Link>
      ))}
    </nav>
  )
}

const NOT_FOUND = 'There is no such screen'

/** Names the screen in the title of the page, and moves the focus to a screen that took the place of another. */
const useArrival = (title: string): void => {
  const shown = useRef<string>(undefined)
  useEffect(() => {
    document.title = `${title} · Mintmark`
    if (shown.current !== undefined && shown.current !== title) document.getElementById(CONTENT_ID)?.focus()
    shown.current = title
  }, [title])
}

const NotFound = () => (
  <section className="empty">
    <h1>{NOT_FOUND}</h1>
    <p>
      <Link to={addressOf('')}>To the overview</Link>
    </p>
  </section>
)

const Frame = ({ session, role }: { readonly session: Session; readonly role: Role }) => {
  const { path } = useAddress()
  const screens = SCREENS.filter(({ least }) => includes(role, least))
  const current = screens.find(screen => screen.path === path)
  const jumps: readonly Jump[] = screens.map(({ key, title, path: to }) => ({ key, title, address: addressOf(to) }))
  const [isHelpOpen, setHelpOpen] = useState(false)
  const showHelp = (): void => setHelpOpen(true)
  useKeys(jumps, showHelp)
  useArrival(current?.title ?? NOT_FOUND)
  useLiveStream()
  return (
    <div className="frame">
      <a className="skip" href={`#${CONTENT_ID}`}>
        To the content
      </a>
      <header>
        <Link to={addressOf('')} className="mark">
          Mintmark
        </Link>
        <HeaderSearch />
        <OperatorMenu session={session} role={role} onHelp={showHelp} />
      </header>
      <Navigation screens={screens} current={current} />
      <main id={CONTENT_ID} tabIndex={-1}>
        <Suspended />
        <Later key={path} fallback={<Reading />}>
          {current === undefined ? <NotFound /> : <current.Show />}
        </Later>
      </main>
      {isHelpOpen && (
        <Later>
          <KeyHelp jumps={jumps} onClose={() => setHelpOpen(false)} />
        </Later>
      )}
    </div>
  )
}

const AGAIN_MS = 5_000

const Gate = () => {
  const query = useQuery({
    queryKey: SESSION_KEY,
    queryFn: readSession,
    staleTime: 60_000,
    // Another tab may have signed in as another operator, in whose name this one would act.
    refetchOnWindowFocus: 'always',
    // Nothing else on the page asks again while it is not known who is signed in.
    refetchInterval: ({ state }) => state.error instanceof ApiUnavailable && state.data === undefined && AGAIN_MS,
  })
  const { data: session } = query
  const [wasSignedIn, setSignedIn] = useState(false)
  const isSignedIn = typeof session === 'object'
  useEffect(() => {
    if (isSignedIn) setSignedIn(true)
  }, [isSignedIn])
  // A signed-in operator stays on the page while their session cannot be read: each request shows its own failure.
  if (session === undefined && query.failureReason === null) return <Waiting query={query} />
  if (session === undefined) {
    return (
      <main className="entry">
        <h1>Mintmark</h1>
        <Waiting query={query} />
      </main>
    )
  }
  if (session === 'off') return <SignInOff />
  if (session === 'signed-out') return wasSignedIn ? <SessionEnded /> : <SignedOut />
  const { role } = session
  if (role === null) return <NoRole session={session} />
  return (
    <RoleContext value={role}>
      <Frame session={session} role={role} />
    </RoleContext>
  )
}

export const Console = () => (
  <QueryClientProvider client={queryClient}>
    <Later>
      <Gate />
      <ActHost />
    </Later>
  </QueryClientProvider>
)
