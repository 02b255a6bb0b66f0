// Every event that the log has: one table, from which the member `event` of each line and docs/reference/log-events.md follow.

type Level = 'debug' | 'info' | 'warn' | 'error'

/** `message` is `msg` of its lines; null where that varies, and the code that logs the line names the event. */
export type LogEvent = { readonly level: Level; readonly message: string | null; readonly meaning: string }

const event = (level: Level, message: string | null, meaning: string): LogEvent => ({ level, message, meaning })

/** Each event by its name, which never changes. */
export const LOG_EVENTS = {
  request: event('info', 'request', 'A request was answered, or its caller hung up: a line of the access log.'),
  request_refused: event(
    'debug',
    'refused',
    'A request was refused: `code` and `description` as the caller got them. At `info`, in `mintmark dev` at `warn`, with `inside`, the reason that only the log has.',
  ),
  request_failed: event(
    'error',
    'fault',
    'A request was answered 500: `err` is the reason. `requestId` is in the answer as `X-Request-Id`.',
  ),
  token_revocation: event(
    'info',
    'revocation',
    'A revocation at /oauth/revoke was answered 200: `outcome` is `ended` or `nothing_to_do`.',
  ),
  global_revocation: event(
    'info',
    'global revocation',
    'An issuer ended what was issued for a subject of its own: `revocationId`.',
  ),
  outage_began: event(
    'warn',
    'unavailable',
    'A request was answered 503, the first of an outage: `reason`. At `debug` for each further one.',
  ),
  outage_continues: event(
    'warn',
    'still unavailable',
    'Every 10 s of an outage: `requests` and `seconds` since it began, and `reasons` since the last line.',
  ),
  outage_ended: event(
    'warn',
    'unavailable no more',
    'No request has been answered 503 for 10 s: `requests` and `seconds` of the whole outage.',
  ),
  token_requests_full: event(
    'warn',
    'token requests are refused until others are answered',
    'As many token requests as a thread takes are under way (`underWay`); further ones get 503.',
  ),
  exports_full: event(
    'warn',
    'exports are refused until others have ended',
    'As many exports as a thread takes are under way (`underWayMax`); further ones get 503.',
  ),
  export_unread: event('info', 'an export was not read to its end', 'The caller of an export hung up.'),
  export_failed: event(
    'warn',
    'an export was broken off',
    'An export ended early for a fault: `err`. Its caller sees an incomplete body.',
  ),
  connections_refused: event(
    'warn',
    'connections beyond a limit were closed',
    'So many (`refused`) in the last while.',
  ),
  background_fault: event(
    'error',
    'background work failed and goes on',
    'Work that no request waits for failed: `task`, `err`, and how many `faults` of the task there were. At most one line a minute for each task.',
  ),
  audit_sealed: event(
    'info',
    'audit entries sealed',
    'Entries of the audit log were sealed: keep its `number` and `head` elsewhere, for `mintmark audit verify`.',
  ),
  node_warning: event(
    'warn',
    'a warning of Node',
    'Node.js warns of something in the process: `err`, or of a thread that has no log `text` as it printed it.',
  ),
  process_failed: event(
    'error',
    'the process failed and ends',
    'An error that nothing caught, `err`, ends the process in the order of a shutdown.',
  ),
  metrics_port_taken: event(
    'warn',
    'nobody can scrape metrics: the port is taken; MINTMARK_METRICS_ADDRESS sets another',
    'Only in `mintmark dev`, which goes on without metrics.',
  ),
  check_finding: event(
    'warn',
    null,
    'A check of the installation (`check`) found what `mintmark doctor` would report, with `status`.',
  ),
  files_in_use: event('info', null, 'Files of the configuration that were changed are in use.'),
  files_unchanged: event('info', null, 'SIGHUP was received, and no file of the configuration has changed.'),
  files_unusable: event(
    'warn',
    null,
    'Changed files of the configuration cannot be used (`reason`); what was read before stays in use.',
  ),
  files_unreadable: event('error', 'changed files could not be read', 'Reading changed files failed: `err`.'),
  files_not_looked_at: event(
    'error',
    'files could not be looked at',
    'Looking for changed files failed: `err`. It is tried again.',
  ),
  files_not_applied: event(
    'error',
    'changed files are not in use',
    'A serving thread could not apply changed files: `err`.',
  ),
  provider_unavailable: event(
    'warn',
    null,
    'The keys of an identity provider (`issuer`) could not be read at the start: `reason`, `setting`.',
  ),
  issuer_unavailable: event(
    'warn',
    null,
    'The keys of a trusted issuer (`issuer`, `alias`) could not be read at the start: `reason`.',
  ),
  providers_not_checked: event(
    'error',
    'the identity providers could not be checked',
    'Their check at the start failed: `err`.',
  ),
  issuers_not_checked: event(
    'error',
    'the trusted issuers could not be checked',
    'Their check at the start failed: `err`.',
  ),
  key_set_unread: event(
    'error',
    'a key set could not be read',
    'The main thread could not read a key set for a serving thread: `err`, `place`.',
  ),
  serving_thread_failed: event('error', 'a serving thread failed', 'A serving thread ended by an error: `err`.'),
  serving_thread_ended: event(
    'error',
    'a serving thread ended by itself and is replaced',
    'It is replaced a second later.',
  ),
  serving_thread_not_replaced: event(
    'error',
    'a serving thread could not be replaced',
    'The replacement failed: `err`. It is tried again.',
  ),
  serving_thread_unclean: event('error', 'a serving thread did not end in good order', 'At the shutdown: `err`.'),
} as const satisfies Readonly<Record<string, LogEvent>>

const rows: readonly [string, LogEvent][] = Object.entries(LOG_EVENTS)

const byMessage: ReadonlyMap<string | null, string> = new Map(rows.map(([name, { message }]) => [message, name]))

/** The event of a line with this message; `other` where the table has none. */
export const eventOf = (message: string | undefined): string => byMessage.get(message ?? '') ?? 'other'
