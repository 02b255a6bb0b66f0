// How long a process waits: each deadline, turn, patience, pause, poll and timeout of a statement, and nothing else. Rules of
// time (lifetimes, grace, ages of proofs and keys) stay in domain/ and api/values/. docs/limits.md names those that callers meet.

/** The values of a service in production. A part takes the members that it waits by: `Pick<Timing, …>`. */
export const TIMING = Object.freeze({
  // Connections

  /**
   * A TLS handshake, and from then on, or from the first byte of a later request, all of its header fields and all of its
   * body: a peer that sends a byte a minute keeps no connection for ever.
   */
  requestMs: 30_000,
  /** The time between two looks for requests that are too slow. */
  connectionCheckMs: 1000,
  /** A connection on which nothing moves, whether its next request or the reading of a response is waited for. */
  idleConnectionMs: 72_000,
  /** The wait after a response that ends the connection: a peer that sends nothing for so long has read it, or never will. */
  lingerMs: 1000,
  /** The time between two log lines that connections were refused. */
  refusedConnectionsLogMs: 60_000,

  // Responses

  /**
   * The deadline from the first byte of a request to its answer, without the wait for its body. A little longer than
   * the deadline of the store: where one step took all of the time, the store's reason is the one to log.
   */
  answerMs: 4_600,
  /** A request that has waited less is answered in time by the deadline of its group. */
  groupedMs: 250,
  /** A body that takes longer to arrive once its request has begun keeps its caller waiting by itself. */
  bodyMs: 250,
  /** How much later than its deadline work may be given up. */
  deadlineSweepMs: 100,
  /**
   * The longest wait for the responses before it on its connection: after a longer one a request would be given up in the
   * middle. It is a second less than the deadline, because the connection may rest so long besides.
   */
  pipelinedMs: 3_600,
  /** A shorter wait before the start of a request changes no deadline. */
  notedWaitMs: 10,
  /** A turn of the start queue; the number of requests that it starts follows. */
  startTurnMs: 4,
  /** What would wait longer in the start queue is refused on arrival. */
  startWaitMs: 1000,
  /** A turn of the event loop that takes longer has brought a group enough: under load each may take as long as an answer should. */
  gatheringMs: 2,
  /** A group of token requests should take no longer, from its look-ups to its commit: less than half of the deadline of its requests. */
  issueGroupMs: 2000,
  /** The sample of how busy the thread is with other work: the shortest wait of a timer. */
  idleSampleMs: 1,
  /** A step of background work that waited long for something else is followed by no longer rest. */
  idleRestMs: 200,
  /** A counted log line of an outage comes so often; where nothing failed for as long, the outage is over. */
  outageLogMs: 10_000,

  // Exports

  /** A caller who does not take a page of an export within this time is cut off. */
  exportPageMs: 60_000,

  // Followers of the revocation feed

  /** The time between two look-ups of the store while somebody follows: what is new is known so much later, at most. */
  feedPollMs: 10,
  /** The longest pause before the next look-up after a fault of the store. */
  feedPauseMs: 1000,
  /** The time between two heartbeats of a stream. */
  feedHeartbeatMs: 1000,
  /** A stream ends after so long, or up to a fifth later: a balancer can then spread followers over replicas anew. */
  feedStreamMs: 300_000,
  /** A follower that reads slower than the feed grows for so long is disconnected. */
  followerUnreadMs: 5000,
  /** Followers are served so long in one turn. */
  followerTurnMs: 4,
  /** What followers have not used of their share of the thread they may use at once, up to this. */
  followerSavedMs: 24,

  // Streams of the console

  /** The time between two look-ups, and so between two events of a stream. */
  consolePollMs: 1000,
  /** A stream on which nothing changed says so. */
  consoleSilenceMs: 15_000,
  /** What was written waits so long to be read; then the stream is disconnected. */
  consoleUnreadMs: 5000,
  /** The life of a stream; then the page opens another one, and its operator is authorized anew. */
  consoleStreamMs: 300_000,
  /** The time between two look-ups of a session that another process renews. */
  sessionPollMs: 100,

  // Keys of other servers

  /** Everything that one reading of a key set fetches. */
  keyReadingMs: 4_000,
  /** The thread that fetches key sets answers a serving thread: longer than a reading, shorter than the deadline of a request. */
  keyRelayMs: 4_300,
  /** The pause before the thread that fetches is asked again after it did not answer. */
  keyAskAgainMs: 1000,
  /**
   * The time in which at most two readings of a set begin while its keys are held, whatever `kid` callers send: two in
   * 30 seconds. So the first reading, and one of keys that are old, may be followed by another at once, for a key that
   * appeared since.
   */
  keyTwoReadingsMs: 31_000,
  /** The time between further readings: a key that appears in a flood of unknown ones is known so much later, or at that limit. */
  keyReadingsApartMs: 16_000,
  /** While no keys are held the first failures are tried again sooner: after this, and twice, four and eight times as long. */
  keyFirstRetryMs: 1000,
  /** A name of a client's host that did not resolve is not looked up again so long: each look-up may keep a thread of the process. */
  nameRestMs: 30_000,
  /** Each answer of the identity provider at a sign-in. In whole seconds. */
  signInAnswerMs: 4_000,
  /** Rests after verifications of legacy hashes overlap; where they add up to more the verifying thread rests too. */
  hashRestBehindMs: 5_000,
  /** A credential for which nothing was verified for as long has no part in that. */
  hashCleanAfterMs: 60_000,

  // The store

  /** The deadline after which a request is answered 503; whether it was done is then unknown. */
  storeMs: 4500,
  /** A command waits so long for the write lock of the store, which a running service holds from time to time. */
  commandStoreMs: 10_000,
  /** The time between two hand-overs of what is counted in memory. */
  handOverMs: 1000,
  /** An answer about usage is given again so long. With the pause between two hand-overs: visible within 2 s. */
  usageFreshMs: 1000,
  /** An agent whose live tokens cannot be distinguished from dead ones passes for full so long. */
  liveRecountMs: 1000,
  /** The time between two looks at the signing keys, and the running time that a crash may lose from the count. */
  keyCheckMs: 5000,
  /**
   * The time between two rounds of the maintenance: half of what a seal may be behind. An entry that just missed one waits for the
   * rest of a pause, and for a turn.
   */
  maintenanceMs: 500,
  /** The time between two seals of the audit log. */
  sealPauseMs: 500,
  /** The time between two removals of what is expired and counted nowhere. */
  forgetMs: 5000,
  /** The time between two looks whether the revocation feed of a store that is older than it is still to be opened. */
  feedOpeningMs: 1000,
  /** The time between two rounds of retention. */
  retentionMs: 60_000,

  // SQLite

  /** The time between two tries of another process to lock the file. */
  sqliteRetryMs: 1,
  /** A migration, and a command that needs the whole file, wait so long for its lock. */
  sqliteLockMs: 10_000,
  /** The longest time that one caller can hold acts back. */
  actsPauseMs: 1000,
  /** The writing thread works so long before it leaves a gap for other processes. */
  writerStretchMs: 100,
  /** The gap. */
  writerGapMs: 2,
  /** The time without a message after which the writing thread is idle. */
  writerIdleMs: 5,
  /** The shortest time between replacements of the writing thread. */
  writerRestartMs: 1000,
  /** The maintenance rests so long where another process has the file locked. */
  maintenanceBusyMs: 1000,
  /**
   * Somebody asked for something so lately that the backfill leaves the writing thread to them. A reader renews the lease of
   * the clock each half second; an issue or a revocation comes with each request.
   */
  lastRequestMs: 1000,

  // PostgreSQL

  /** A statement, and a wait for a lock, that take longer are canceled by the server. */
  statementMs: 4000,
  /** A server that does not answer for so long is given up, and with it the connection. */
  databaseAnswerMs: 4400,
  connectMs: 2000,
  /** A transaction that its process does not go on with holds its locks no longer. */
  idleTransactionMs: 2500,
  /** A connection is idle so long before it is probed. */
  keepAliveMs: 5000,
  /** The time that the others have after the first primary has answered: a deposed one may be the faster. */
  otherPrimariesMs: 250,
  /** Work that excludes all acts has the lock so long. */
  exclusiveLockMs: 1000,
  /** A short wait of a migration for the lock of a table, in which everybody else waits too. */
  tableLockMs: 500,
  /** A long one. */
  longTableLockMs: 2000,
  /** The process that maintains the store renews its claim within this time. */
  maintenanceClaimMs: 10_000,
  /** The time between two looks at the partitions. */
  partitionsMs: 60_000,
  /** The time between two attempts of a migration to lock tables that are in use: the processes that serve go on meanwhile. */
  migrationPauseMs: 2000,
  /** The time between two looks whether the sessions of other programs have ended. */
  sessionsEndedPollMs: 20,

  // The process

  /** How long the process still serves after a signal to end it, while /readyz fails and balancers turn elsewhere. MINTMARK_DRAIN_SECONDS. */
  drainMs: 5000,
  /** The time that responses in progress have after `drainMs`. */
  closeMs: 10_000,
  /** Within `closeMs`: an idle connection is still read for so long, because a request may be on its way. */
  closeIdleMs: 1000,
  /** Within `closeMs`: a request that is incomplete by then is answered 408. The others may take `answerMs` from then on. */
  closeRequestMs: 4000,
  /** Within `closeMs`: connections still open by then are cut. The rest is for what the store has to write. */
  closeConnectionsMs: 9000,
  /** A turn of the event loop that is as short had nothing to do. */
  quietTurnMs: 0.1,
  /** The time between two looks whether the shell that npx started a service by is still there. */
  launcherPollMs: 1000,
  /** The shortest time between replacements of serving threads that end unexpectedly. */
  threadRestartMs: 1000,
  /** The time between two checks of the files of the configuration. */
  reloadPollMs: 2000,
  /** Files that are written one after another are read once they have not changed for so long. */
  reloadSettleMs: 200,
  /** The time between two checks of the installation. */
  checkupMs: 60_000,
  /** The time between two log lines of continuing errors of a task. */
  faultLogMs: 60_000,
  /** What is measured of the store is read so often. */
  factsMs: 15_000,
  /** Lines of the access log wait so long for more. */
  accessLogFlushMs: 500,
  /** What a full pipe did not take is tried again after this. */
  fullPipeMs: 5,
  /** The time after which a pipe is tried again that nobody reads any more. */
  brokenPipeMs: 500,
  /** What waits for the access log at a shutdown. */
  accessLogCloseMs: 1000,
  /** The time between two publications of the delay of the event loop. */
  eventLoopPublishMs: 1000,
  /** How far apart the timers are by which that delay is measured. */
  eventLoopTimerMs: 10,
  /** The same distance for a thread at rest, which each of those timers would wake. */
  restingEventLoopTimerMs: 100,
  /** A scrape: for a request to arrive, and for nothing to move on a connection. */
  scrapeRequestMs: 5000,
  /** A connection of a scraper, from its first byte to the end of its answer. */
  scrapeConnectionMs: 15_000,
  /** How long an answer to a scrape is repeated. */
  scrapeFreshMs: 500,
  /** The time between two exports of spans. */
  traceExportMs: 1000,
  /** The last export at a shutdown. */
  traceFlushMs: 3000,

  // Commands

  /** A whole answer to a command. The service answers within 5 s, with a failure if need be. */
  commandAnswerMs: 30_000,
  /** The next part of an answer to a command that is a stream. The service may rest in between. */
  commandPartMs: 60_000,
  /** A check of `doctor`. */
  checkMs: 5000,
  /** A check of `doctor` that uses neither network nor store. */
  fastCheckMs: 1000,
  /** The deadline of one request of `doctor`. */
  checkAnswerMs: 4500,
  /** `--wait` fails where nothing changes for so long: a service works at a revocation all the time. */
  standstillMs: 30_000,
  /** The time between two looks of `--wait` at the records of a revocation. */
  recordsPollMs: 500,
  /** Verifiers that do not hold a revocation in this time are named: they may be gone. */
  verifiersMs: 5000,
  /** The first pause between two looks at the verifiers; each is twice as long as the one before. */
  verifiersFirstPauseMs: 20,
  /** The longest one. */
  verifiersPauseMs: 500,
  /** The time between two reports of progress. */
  progressMs: 500,
  /** `dev-token` waits so long for the identity provider. */
  devTokenMs: 5000,
})

export type Timing = Readonly<Record<keyof typeof TIMING, number>>
