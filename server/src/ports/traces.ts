// Traces: which steps a request took, and how long each. One that is not sampled records nothing.

/** The steps of a request that have a span of their own. */
export type StepName = 'parse' | 'authenticate' | 'read the store' | 'write to the store' | 'commit' | 'sign'

/** Groups of requests that are decided together. */
export type BatchName = 'issue' | 'introspect' | 'sign_introspections'

/** A span that is under way and sampled. Only the adapter of traces looks into it. */
export type Span = object

export type RequestHead = {
  readonly method: string
  readonly scheme: 'http' | 'https'
  /** The header fields of W3C Trace Context, as they came. */
  readonly traceparent: string | readonly string[] | undefined
  readonly tracestate: string | readonly string[] | undefined
  /** How long the request has waited already, in ms. */
  readonly waitedMs: number
}

/** `route` is a template such as /api/v1/agents/{id}; undefined where no route fits. */
export type RequestEnd = {
  readonly route: string | undefined
  readonly operation: string
  readonly requestId: string
  readonly status: number
  /** The code of an error answer, as of docs/reference/errors.md. */
  readonly code: string | undefined
  /** Whether the connection ended before the answer was out. */
  readonly isAborted: boolean
}

/** `traceId` is that of the caller where there is a valid one. */
export type RequestSpan = {
  readonly traceId: string
  /** Undefined where the request is not sampled. */
  readonly sampled: Span | undefined
  readonly end: (end: RequestEnd) => void
}

/** Nothing of it throws or waits, and none of it changes what `work` returns or throws. */
export type Traces = {
  readonly startRequest: (head: RequestHead) => RequestSpan
  /** The span that the caller's code runs in; undefined where it is not sampled. */
  readonly current: () => Span | undefined
  /** Runs `work` in the span, or in none. */
  readonly inside: <Outcome>(span: Span | undefined, work: () => Outcome) => Outcome
  /** Runs `work` in a span below the current one, if there is one. */
  readonly step: <Outcome>(name: StepName, work: () => Outcome) => Outcome
  /** Records a step below `span` that has ended; both times in ms since 1970. */
  readonly record: (span: Span, name: StepName, times: readonly [beganAt: number, endedAt: number]) => void
  /** Runs `work` in the span of a batch, linked with the span of each sampled member, if there is one. */
  readonly batch: <Outcome>(name: BatchName, members: readonly (Span | undefined)[], work: () => Outcome) => Outcome
}

/** The traces of commands, of a service without tracing, and of tests of something else: they record nothing. */
export const NO_TRACES: Traces = {
  startRequest: () => ({ traceId: '', sampled: undefined, end: () => undefined }),
  current: () => undefined,
  inside: (_span, work) => work(),
  step: (_name, work) => work(),
  record: () => undefined,
  batch: (_name, _members, work) => work(),
}
