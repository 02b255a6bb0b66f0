// What proves, by name: each row is a command of `npm run proof`. All take `--minutes`.

export type Proof = {
  /** The path below proof/. */
  readonly file: string
  /** What holds where it passes; of a measurement what it measures. */
  readonly shows: string
  /** The options of Node that it needs. */
  readonly flags?: readonly string[]
}

export const PROOFS: Readonly<Record<string, Proof>> = {
  bugs: { file: 'bugs/main.ts', shows: 'the test of each promise finds the defect that breaks it' },
  mutation: { file: 'mutation/mutate.ts', shows: 'which changed expressions no test finds, by Stryker' },
  linear: { file: 'drills/linear/linear.ts', shows: 'all responses fit one order of all operations' },
  crash: {
    file: 'drills/crash/crash.ts',
    shows: 'neither kill -9 nor a power cut loses or revives what was acknowledged',
  },
  revocation: { file: 'drills/revocation/revocation.ts', shows: 'a million tokens end at once, and stay ended' },
  cascade: {
    file: 'drills/cascade/cascade.ts',
    shows: 'what descends from an ended token stays ended, however often the service is killed',
  },
  feed: {
    file: 'drills/feed/feed.ts',
    shows: 'verifiers that follow the feed accept no revoked token beyond their staleness',
  },
  followers: {
    file: 'drills/feed/followers/followers.ts',
    shows: 'ten thousand followers of the feed cost other callers less than a tenth',
  },
  replicas: {
    file: 'drills/replicas.ts',
    shows: 'the same order on five replicas, while everything around them fails',
  },
  'seeded-faults': { file: 'drills/seeded-faults.ts', shows: 'the replicas drill finds each of its seeded faults' },
  database: { file: 'drills/database/database.ts', shows: 'the database fails in 22 ways, and no response is false' },
  rolling: {
    file: 'drills/rolling/rolling.ts',
    shows: 'replicas behind a balancer are restarted, and no caller notices',
  },
  outage: {
    file: 'drills/outage/outage.ts',
    shows: 'how long callers go without an answer while another node of PostgreSQL takes over',
  },
  strangers: {
    file: 'drills/strangers/strangers.ts',
    shows: 'callers without a credential, whatever they send, do not affect others',
  },
  flood: { file: 'drills/overload/flood.ts', shows: 'nor do floods delay them more than a bare handler' },
  lockout: { file: 'drills/overload/lockout.ts', shows: 'a million wrong secrets do not lock the right one out' },
  soak: {
    file: 'drills/overload/soak.ts',
    shows: 'an hour at half load leaves memory, descriptors, WAL and response times as they were',
  },
  oracle: {
    file: 'drills/oracle/oracle.ts',
    shows: 'neither bytes nor times of a response say why a credential or a token is refused',
  },
  fuzz: {
    file: 'drills/fuzz/fuzz.ts',
    shows: 'no request is answered by a fault, or otherwise than the OpenAPI document says',
  },
  parsers: {
    file: 'drills/fuzz/growth.ts',
    shows: 'the time of every parser grows in proportion to its input',
    // A large nursery leaves the copies of garbage collection out of the times.
    flags: ['--min-semi-space-size=256', '--max-semi-space-size=256'],
  },
  alerts: { file: 'drills/alerts/alerts.ts', shows: 'each alert fires once its cause is there, in a real Prometheus' },
  interop: { file: 'interop/main.ts', shows: 'clients in other languages, and gateways, work with the service' },
  bench: {
    file: 'bench/main.ts',
    shows: 'what issue, introspect and revoke cost beside a bare server and node-oidc-provider',
  },
  compare: { file: 'bench/compare.ts', shows: 'what they cost in this tree and in another one' },
  pair: { file: 'bench/pair.ts', shows: 'what metrics, the access log and evidence of use cost a request' },
  profile: { file: 'bench/profile.ts', shows: 'where a loaded service spends its time, by thread' },
  start: { file: 'bench/start.ts', shows: 'the time from the start of a process to the first token' },
  files: { file: 'bench/files/files.ts', shows: 'in how many of our files code runs for one request of each kind' },
  depth: { file: 'bench/depth.ts', shows: 'what the same requests cost on a small store and on a full one' },
  exports: { file: 'bench/exports.ts', shows: 'what whole lists as streams cost, and introspection during one' },
  'slow-disk': { file: 'bench/slow-disk.ts', shows: 'introspection and issue when every sync takes 10 ms longer' },
  postgres: {
    file: 'bench/postgres.ts',
    shows: 'what the same costs on PostgreSQL, with processor time of the database',
  },
  'postgres-depth': { file: 'bench/postgres-depth.ts', shows: 'the same on a small database and on a full one' },
  console: {
    file: 'bench/console/console.ts',
    shows: 'how long a browser waits for the screens of a full store, to the hundredth page',
  },
  latency: {
    file: 'bench/latency/latency.ts',
    shows: 'how soon after its revocation a token is refused: introspection, followers, the gateway process',
  },
  'feed-sizes': { file: 'bench/feed/feed-sizes.ts', shows: 'the snapshot of the feed in bytes and seconds' },
  gateway: {
    file: 'bench/feed/gateway.ts',
    shows: 'how many checks a second mintmark-verify serve answers on one core',
  },
  verify: { file: 'bench/feed/verify.ts', shows: 'what @mintmark/verify costs beside introspection, on one core' },
}
