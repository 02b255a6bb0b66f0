// On which screen the subject of an act is shown.

const SCREENS: Readonly<Record<string, string>> = {
  agent: 'agents',
  api_key: 'api-keys',
  signing_key: 'keys',
  token: 'tokens',
}

/** Undefined where no screen shows one. What was deleted has none. */
export const subjectScreenOf = (kind: string): string | undefined =>
  kind.endsWith('.delete') ? undefined : SCREENS[kind.split('.')[0] ?? '']
