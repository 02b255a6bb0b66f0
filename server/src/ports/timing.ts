// How long a process waits: each deadline, turn, patience, pause, poll and timeout of a statement, and nothing else. Rules of
// time (lifetimes, grace, ages of proofs and keys) stay in domain/ and api/values/. docs/reference/limits.md names those that callers meet.

/** The values of a service in production. A part takes the members that it waits by: `Pick<Timing, …>`. */
export const TIMING = Object.freeze({
  // Connections

  /**
   * A TLS handshake, and from then on, or from the first byte of a later request, all of its header fields and all of its
   * body: a peer that sends a byte a minute keeps no connection for ever.
   */
  requestMs: 30_000,
  /** The time between two checks for requests that are too slow. */
  connectionCheckMs: 1000,
  /** The longest time without a byte, whether the next request or the reading of a response is waited for. */
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
  /** The wait below which a request needs no deadline of its own: that of its group is early enough. */
  groupedMs: 250,
  /** The most of the time of a body that counts as a wait for the service; the rest is its sender's own. */
  bodyMs: 250,
  /** How much later than its deadline work may be given up. */
  deadlineSweepMs: 100,
  /**
   * The longest wait for the responses before it on its connection: after a longer one a request would be given up in the
   * middle. It is a second less than the deadline, because the connection may rest so long besides.
   */
  pipelinedMs: 3_600,
  /** The shortest wait before the start of a request that moves its deadline. */
  notedWaitMs: 10,
  /** The length of a turn of the start queue, from which the number of requests that it starts follows. */
  startTurnMs: 4,
  /** The longest expected wait in the start queue; a request that would wait longer is refused on arrival. */
  startWaitMs: 1000,
  /** A turn of the event loop that takes longer has brought a group enough: under load each may take as long as an answer should. */
  gatheringMs: 2,
  /** The time that a group of token requests should take from look-ups to commit: less than half of the deadline of its requests. */
  issueGroupMs: 2000,
  /** The sample of how busy the thread is with other work: the shortest wait of a timer. */
  idleSampleMs: 1,
  /** The longest rest after a step of background work, however long the step waited for something else. */
  idleRestMs: 200,
  /** The time between two log lines of an outage with counts; after as long without a failure the outage is over. */
  outageLogMs: 10_000,

  // Exports

  /** The deadline for a caller to read a page of an export; then the connection is cut. */
  exportPageMs: 60_000,

  // Followers of the revocation feed

  /** The time between two look-ups of the store while somebody follows: what is new is known so much later, at most. */
  feedPollMs: 10,
  /** The longest pause before the next look-up after a fault of the store. */
  feedPauseMs: 1000,
  /** The time between two heartbeats of a stream. */
  feedHeartbeatMs: 1000,
  /** The life of a stream, or up to a fifth more: a balancer can then spread followers over replicas anew. */
  feedStreamMs: 300_000,
  /** How long a follower may read slower than the feed grows before it is disconnected. */
  followerUnreadMs: 5000,
  /** How long followers are served in one turn. */
  followerTurnMs: 4,
  /** The most unused time of the followers' share of the thread that they may use at once. */
  followerSavedMs: 24,

  // Streams of the console

  /** The time between two look-ups, and so between two events of a stream. */
  consolePollMs: 1000,
  /** The time after which a stream on which nothing changed sends a heartbeat. */
  consoleSilenceMs: 15_000,
  /** How long written bytes may stay unread before the stream is disconnected. */
  consoleUnreadMs: 5000,
  /** The life of a stream; then the page opens another one, and its operator is authorized anew. */
  consoleStreamMs: 300_000,
  /** The time between two look-ups of a session that another process renews. */
  sessionPollMs: 100,

  // Keys of other servers

  /** The deadline of one reading of a key set, with everything that it fetches. */
  keyReadingMs: 4_000,
  /** The deadline of the thread that fetches key sets to answer a serving thread: longer than a reading, shorter than a request. */
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
  /** The first pause after a failure while no keys are held; the next are twice, four and eight times as long. */
  keyFirstRetryMs: 1000,
  /** How long a client's host whose name did not resolve is not looked up again: each look-up may occupy a thread of the process. */
  nameRestMs: 30_000,
  /** How long a sign-in waits for its turn to ask the identity provider: what is left of its deadline is for the answer. */
  signInWaitMs: 2_000,
  /** The deadline of each response of the identity provider at a sign-in, in whole seconds. */
  signInAnswerMs: 4_000,
  /** Rests after verifications of legacy hashes overlap; where they add up to more the verifying thread rests too. */
  hashRestBehindMs: 5_000,
  /** A credential for which nothing was verified for as long has no part in that. */
  hashCleanAfterMs: 60_000,

  // The store

  /** The deadline after which a request is answered 503; whether it was done is then unknown. */
  storeMs: 4500,
  /** How long a command waits for the write lock of the store, which a running service holds from time to time. */
  commandStoreMs: 10_000,
  /** The time between two hand-overs of what is counted in memory. */
  handOverMs: 1000,
  /** How long a response about usage is repeated. With the pause between two hand-overs: visible within 2 s. */
  usageFreshMs: 1000,
  /** How long an agent counts as full whose live tokens cannot be distinguished from dead ones. */
  liveRecountMs: 1000,
  /** The age from which on a count of all live tokens says nothing of now; more where counting takes long. */
  liveCountOldMs: 30_000,
  /** How long a status waits for that count where there is none yet. */
  liveCountWaitMs: 1000,
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
  /** How long what opens the file waits for a process that was the last to close it, and clears its log away. */
  sqliteOpenMs: 2000,
  /** How long a migration, and a command that needs the whole file, waits for its lock. */
  sqliteLockMs: 10_000,
  /** The longest time that one caller can hold acts back. */
  actsPauseMs: 1000,
  /** How long the writing thread works before it leaves a gap for other processes. */
  writerStretchMs: 100,
  /** The length of that gap. */
  writerGapMs: 2,
  /** The time without a message after which the writing thread is idle. */
  writerIdleMs: 5,
  /** The shortest time between replacements of the writing thread. */
  writerRestartMs: 1000,
  /** How long the maintenance rests when another process has locked the file. */
  maintenanceBusyMs: 1000,
  /**
   * Somebody asked for something so lately that the backfill leaves the writing thread to them. A reader renews the lease of
   * the clock each half second; an issue or a revocation comes with each request.
   */
  lastRequestMs: 1000,

  // PostgreSQL

  /** The time after which the server cancels a statement, or a wait for a lock. */
  statementMs: 4000,
  /** The time without a response after which the connection to the server is closed. */
  databaseAnswerMs: 4400,
  connectMs: 2000,
  /** The time after which the server ends a transaction that its process does not continue. */
  idleTransactionMs: 2500,
  /** How long a connection is idle before it is probed. */
  keepAliveMs: 5000,
  /** The time that the others have after the first primary has answered: a deposed one may be the faster. */
  otherPrimariesMs: 250,
  /** How long work that excludes all acts may hold the lock. */
  exclusiveLockMs: 1000,
  /** The short wait of a migration for the lock of a table, during which all others wait too. */
  tableLockMs: 500,
  /** The long wait of a migration for the lock of a table. */
  longTableLockMs: 2000,
  /** How long the claim of the process that maintains the store lasts unless it is renewed. */
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
  /** Within `closeMs`: connections that the system has queued are accepted for so long at most, before the port closes. */
  closeAcceptMs: 500,
  /** Within `closeAcceptMs`: the port closes once no connection has arrived for so long. */
  closeQuietMs: 10,
  /** Within `closeMs`, once the port is closed: an idle connection is still read for so long, because a request may be on its way. */
  closeIdleMs: 1000,
  /** Within `closeMs`: a request that is incomplete by then is answered 408. The others may take `answerMs` from then on. */
  closeRequestMs: 4000,
  /** Within `closeMs`: connections still open by then are cut. The rest is for what the store has to write. */
  closeConnectionsMs: 9000,
  /** The longest turn of the event loop that counts as having had nothing to do. */
  quietTurnMs: 0.1,
  /** The time between two looks whether the shell that npx started a service by is still there. */
  launcherPollMs: 1000,
  /** The shortest time between replacements of serving threads that end unexpectedly. */
  threadRestartMs: 1000,
  /** The time between two checks of the files of the configuration. */
  reloadPollMs: 2000,
  /** How long files must stay unchanged before they are read: several may be written one after another. */
  reloadSettleMs: 200,
  /** The time between two checks of the installation. */
  checkupMs: 60_000,
  /** The time between two log lines of continuing errors of a task. */
  faultLogMs: 60_000,
  /** The time between two measurements of the store. */
  factsMs: 15_000,
  /** How long lines of the access log wait for more. */
  accessLogFlushMs: 500,
  /** The pause before the rest is written again to a full pipe. */
  fullPipeMs: 5,
  /** The pause before a pipe is tried again that nobody reads any more. */
  brokenPipeMs: 500,
  /** The deadline to write the rest of the access log at a shutdown. */
  accessLogCloseMs: 1000,
  /** The time between two publications of the delay of the event loop. */
  eventLoopPublishMs: 1000,
  /** The distance between the timers that measure that delay. */
  eventLoopTimerMs: 10,
  /** The same distance for a thread at rest, which each of those timers would wake. */
  restingEventLoopTimerMs: 100,
  /** The deadline of a scrape's request, and the longest time without a byte on its connection. */
  scrapeRequestMs: 5000,
  /** The life of a scraper's connection, from its first byte to the end of its response. */
  scrapeConnectionMs: 15_000,
  /** How long a response to a scrape is repeated. */
  scrapeFreshMs: 500,
  /** The time between two exports of spans. */
  traceExportMs: 1000,
  /** The deadline of the last export at a shutdown. */
  traceFlushMs: 3000,

  // Commands

  /** The deadline of a whole response to a command. The service responds within 5 s, with a failure if need be. */
  commandAnswerMs: 30_000,
  /** The deadline of the next part of a streamed response to a command. The service may pause in between. */
  commandPartMs: 60_000,
  /** The deadline of a check of `doctor`. */
  checkMs: 5000,
  /** The deadline of a check of `doctor` that uses neither network nor store. */
  fastCheckMs: 1000,
  /** The deadline of one request of `doctor`. */
  checkAnswerMs: 4500,
  /** The time without a change after which `--wait` fails: a service works at a revocation all the time. */
  standstillMs: 30_000,
  /** The time between two looks of `--wait` at the records of a revocation. */
  recordsPollMs: 500,
  /** The time after which verifiers that do not hold a revocation are named: they may be gone. */
  verifiersMs: 5000,
  /** The first pause between two looks at the verifiers; each is twice as long as the one before. */
  verifiersFirstPauseMs: 20,
  /** The longest pause between two looks at the verifiers. */
  verifiersPauseMs: 500,
  /** The time between two reports of progress. */
  progressMs: 500,
  /** How long `dev-token` waits for the identity provider. */
  devTokenMs: 5000,
})

export type Timing = Readonly<Record<keyof typeof TIMING, number>>
