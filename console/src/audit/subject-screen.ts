// On which screen the subject of an act is shown.
import { addressOf } from '../address.ts'
import { OPEN } from '../parts/panel.tsx'
import { addressOfSubject } from '../parts/subject-address.ts'

const SCREENS: Readonly<Record<string, string>> = {
  agent: 'agents',
  api_key: 'api-keys',
  issuer: 'issuers',
  signing_key: 'keys',
  subject: 'subjects',
  token: 'tokens',
}

/** Returns undefined if no screen shows the subject. A deleted one has none. */
export const subjectScreenOf = (kind: string): string | undefined =>
  kind.endsWith('.delete') ? undefined : SCREENS[kind.split('.')[0] ?? '']

/** Where it is, or undefined. */
export const addressOfActed = (kind: string, subject: string): string | undefined => {
  const screen = subjectScreenOf(kind)
  if (screen === 'subjects') return addressOfSubject(subject)
  return screen && addressOf(screen, new URLSearchParams({ [OPEN]: subject }))
}
