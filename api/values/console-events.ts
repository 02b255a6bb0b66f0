// What the stream of the console reports: that something of a subject changed, never what. docs/decisions/archive/0088-console-stream.md

/** Live tokens, tokens that ended, and recorded acts. */
export const CONSOLE_SUBJECTS = ['tokens', 'history', 'audit'] as const

export type ConsoleSubject = (typeof CONSOLE_SUBJECTS)[number]

/** The events of the stream: `changed` holds a JSON array of subjects, `signed_out` is the last one. */
export const CONSOLE_EVENTS = { changed: 'changed', signedOut: 'signed_out' } as const
