// What lets a verifier that follows the revocation feed accept a revoked token: P9.
import type { SeededBug } from './seeded-bug.ts'

export const FEED: readonly SeededBug[] = [
  {
    name: 'supersede-without-fact',
    bug: 'A token that made room for another is not in the feed.',
    breaks: 'P9, a verifier that follows the feed refuses a revoked token',
    file: 'server/src/store/ledger/end-tokens.ts',
    from: '  yield* appendEnds(tx, rows)',
    to: `  if (ending.reason !== 'superseded') yield* appendEnds(tx, rows)`,
    test: 'server/test/store/feed/facts.test.ts',
    title: 'a token that makes room for another at the limit of its agent is a fact',
  },
  {
    name: 'epoch-of-before',
    bug: 'A restored store goes on in the epoch of the backup: a follower misses what its positions mean now.',
    breaks: 'P9, a follower goes on without a gap or starts over',
    file: 'server/src/store/offline/restore-store.ts',
    from: '  yield* beginEpoch()',
    to: '',
    test: 'server/test/store/feed/feed-history.test.ts',
    title: 'a restored store has another epoch, and says that everything ended',
  },
  {
    name: 'delta-before-commit',
    bug: 'The feed says that it reaches an act which is not committed yet: followers pass over its facts.',
    breaks: 'P9, trap 25: a document holds every fact up to its last position',
    file: 'server/src/store/feed/read-feed.ts',
    from: '  return { epoch: epoch + suffix, position, now }',
    to: '  return { epoch: epoch + suffix, position: position + 1, now }',
    test: 'server/test/store/feed/facts.test.ts',
    title: 'a token that ends is a fact once: the tail of its id under its expiry',
  },
  {
    name: 'heartbeat-without-position',
    bug: 'A heartbeat contains the time alone: a stream that lost an event looks complete.',
    breaks: 'P9, trap 25: a heartbeat says where the feed stands',
    file: 'server/src/http/oauth/feed/stream-follower.ts',
    from: [
      'export const heartbeatEvent = ({ epoch, position, now }: FeedHead): Buffer =>',
      '  Buffer.from(`event: heartbeat\\ndata: ${JSON.stringify({ epoch, position, now })}\\n\\n`)',
    ].join('\n'),
    to: [
      'export const heartbeatEvent = ({ epoch, now }: FeedHead): Buffer =>',
      '  Buffer.from(`event: heartbeat\\ndata: ${JSON.stringify({ epoch, now })}\\n\\n`)',
    ].join('\n'),
    test: 'server/test/contract/oauth/revocation-feed-stream.test.ts',
    title: 'a heartbeat says where the feed stands by a look at the store since the one before it',
  },
  {
    name: 'staleness-from-arrival',
    bug: 'Staleness counts from when an answer came.',
    breaks: 'P9: staleness counts from when the confirmed request was sent',
    file: 'packages/verify/src/feed/staleness.ts',
    from: '    note: (confirmed, sentAt, reached) => {',
    to: [
      '    note: (confirmed, _, reached) => {',
      '      const sentAt = { monotonicMs: runtime.monotonicMs(), wallMs: runtime.wallMs() }',
    ].join('\n'),
    test: 'packages/verify/test/staleness.test.ts',
    title: 'staleness counts from when a request was sent',
  },
  {
    name: 'ancestors-not-tested',
    bug: 'Only the token itself is compared with the facts.',
    breaks: 'P10: a token is dead as soon as an ancestor is',
    file: 'packages/verify/src/feed/facts.ts',
    from: `    judge: subjects => subjects.map(subject => judgeOne(ends, cutOffs, subject)).reduce(worse, 'clear'),`,
    to: `    judge: subjects => subjects.slice(0, 1).map(subject => judgeOne(ends, cutOffs, subject)).reduce(worse, 'clear'),`,
    test: 'packages/verify/test/cut-offs.test.ts',
    title: 'an ancestor that ended by itself ends the token',
  },
]
