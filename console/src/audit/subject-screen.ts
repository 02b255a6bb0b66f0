// On which screen the subject of an act is shown.

const SCREENS: Readonly<Record<string, string>> = {
  agent: 'agents',
  api_key: 'api-keys',
  issuer: 'issuers',
  signing_key: 'keys',
  token: 'tokens',
}

/** Returns undefined if no screen shows the subject. A deleted one has none. */
export const subjectScreenOf = (kind: string): string | undefined =>
  kind.endsWith('.delete') ? undefined : SCREENS[kind.split('.')[0] ?? '']
