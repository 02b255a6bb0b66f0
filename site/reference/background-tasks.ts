// The reference of what the service does by itself: what each task does, when, and what happens after a fault in it.
import { SERVING_TASKS } from '../../server/src/compose/log.ts'
import { BACKGROUND_TASKS } from '../../server/src/store/background.ts'

type Task = (typeof BACKGROUND_TASKS)[number] | (typeof SERVING_TASKS)[number]

type Row = { readonly does: string; readonly when: string; readonly after: string }

const SOON = 'tried again half a second later'
const EVERY_5_S = 'every 5 s'

const ROWS: Readonly<Record<Task, Row>> = {
  'audit seals': { does: 'seals entries of the audit log', when: 'within a second of an act', after: SOON },
  'backfill of revocations': {
    does: 'moves the tokens that a large revocation ended to the history; they are dead before',
    when: 'at once, 500 rows a step',
    after: SOON,
  },
  'descendants of ended tokens': {
    does: 'does the same for what was exchanged from an ended token',
    when: 'at once, 500 rows a step',
    after: SOON,
  },
  'evidence of use': {
    does: 'finds out which tokens that introspection did not find had ended, and stores where tokens were used',
    when: 'each second',
    after: 'tried again each second if the store was unavailable; a count that fails otherwise is lost',
  },
  'facts for metrics': {
    does: 'reads gauges',
    when: 'every 15 s',
    after: 'tried again 15 s later; `mintmark_facts_timestamp_seconds` shows the age',
  },
  'clock lease': {
    does: 'stores a time ahead of the clock, up to which responses may contain the time',
    when: 'every half second under load',
    after: 'tried again with the next request',
  },
  'last uses of API keys': {
    does: 'stores when an API key was last used',
    when: 'once a minute for each key',
    after: 'that minute is lost',
  },
  'last uses of sessions': {
    does: 'stores when an operator last used the console',
    when: 'once a minute for each session',
    after: 'that minute is lost',
  },
  'life of signing keys': { does: 'counts running time of keys, rotates, removes', when: EVERY_5_S, after: SOON },
  'new signing key': { does: 'makes the key that follows', when: 'when there is none', after: 'tried again 5 s later' },
  partitions: {
    does: 'makes, packs and drops partitions, on PostgreSQL',
    when: 'every minute',
    after: 'tried again with the next turn, half a second later',
  },
  'positions of verifiers': {
    does: 'stores where followers of the revocation feed say that they are',
    when: 'at once; what is reported while one write is in progress goes with the next',
    after:
      'tried again with the next report if the store was unavailable; a report that fails otherwise is sent again within 10 s',
  },
  'refusal counts': {
    does: 'stores what was counted of refused authentications',
    when: 'each second',
    after: 'tried again each second if the store was unavailable; a count that fails otherwise is lost',
  },
  'opening of the revocation feed': {
    does: 'opens the feed of a store of an earlier version, once no program of that version uses it',
    when: 'every second until then',
    after: SOON,
  },
  'removal of ended sessions': {
    does: 'removes sessions of the console that have expired',
    when: EVERY_5_S,
    after: SOON,
  },
  'removal of facts of the revocation feed': {
    does: 'removes what concerns no token any more',
    when: EVERY_5_S,
    after: SOON,
  },
  'removal of silent verifiers': {
    does: 'removes verifiers of which nothing was heard for a day',
    when: EVERY_5_S,
    after: SOON,
  },
  'removal of used proofs': {
    does: 'removes DPoP proofs and assertions that are too old to be sent again',
    when: EVERY_5_S,
    after: SOON,
  },
  'renewed sessions': {
    does: 'stores what a renewal at the identity provider got, where the store did not take it at once',
    when: 'a second after the request that renewed',
    after: 'tried again each second, 15 times; then the operator signs in again',
  },
  retention: {
    does: 'removes what was kept long enough',
    when: 'every minute, and not while revocations or descendants are moved',
    after: SOON,
  },
  'turn of maintenance': {
    does: 'takes turns at the tasks of the store; on PostgreSQL in one process at a time',
    when: 'every half second, and after an act',
    after: SOON,
  },
  'usage counts': {
    does: 'stores what was counted of tokens issued and requests refused',
    when: 'each second',
    after: 'tried again each second if the store was unavailable; a count that fails otherwise is lost',
  },
  'writing thread': {
    does: 'writes to the embedded store',
    when: 'always',
    after: 'replaced at once, then each second; requests meanwhile get 503',
  },
  'access log': { does: 'writes the access log', when: 'after each response', after: 'those lines are lost' },
  'export of traces': { does: 'sends traces', when: 'every few seconds', after: 'those traces are lost' },
  'followers of the revocation feed': {
    does: 'asks where the [feed](../apis/feed-protocol.md) stands, and whether the API keys of followers are still good',
    when: 'every 10 ms, and each second, while somebody follows',
    after: 'tried again 20 ms later, then up to a second; no heartbeat goes out meanwhile',
  },
  scrape: { does: 'answers Prometheus', when: 'at each scrape', after: 'that scrape fails' },
  'streams of the console': {
    does: 'asks whether anything changed, and whether the sessions go on',
    when: 'each second, while somebody looks at the [console](../manage/console.md)',
    after: 'tried again a second later',
  },
  'unhandled rejection': { does: 'work that has no name here', when: '', after: 'report what you see' },
}

const rowOf = (task: Task): string => `| \`${task}\` | ${ROWS[task].does} | ${ROWS[task].when} | ${ROWS[task].after} |`

/** A page in Markdown. */
export const writeBackgroundTasks = (): string => `# Background tasks

What the service does by itself. \`task\` in the log line \`background_fault\` and in the metric \`mintmark_background_faults_total\`
names one of these. A fault ends neither a thread nor a request, and keeps no other task waiting.

| task | what it does | when | after a fault |
|---|---|---|---|
${[...BACKGROUND_TASKS, ...SERVING_TASKS].map(rowOf).join('\n')}

The key sets of other issuers are fetched when they are needed and older than 10 minutes, and used for 30. A fetch that fails is
repeated after 1 to 16 s and counted in \`mintmark_key_set_fetches_total\`.
`
