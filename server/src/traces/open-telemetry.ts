// Traces by the SDK of OpenTelemetry. Loaded only where traces are exported: nothing else imports a package of it.
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  ROOT_CONTEXT,
  type Span as Recorded,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
  createTraceState,
} from '@opentelemetry/api'
import type { RequestEnd, RequestHead, RequestSpan, Span, Traces } from '../ports/traces.ts'
import { parseTraceParent } from '@opentelemetry/core'

// Reads the context of a trace that a caller sends: W3C Trace Context, level 1. Whatever is not as it says counts as not sent.

/** A later version may be longer than the 55 characters of version 00 (section 3.2.3). */
const TRACEPARENT_CHARACTERS_MAX = 256
/** What a service must be able to pass on (section 3.3.1.5); more is dropped whole. */
const TRACESTATE_CHARACTERS_MAX = 512

/** The context to start the span of the request in. */
const readContext = ({ traceparent, tracestate }: Pick<RequestHead, 'traceparent' | 'tracestate'>): Context => {
  if (typeof traceparent !== 'string' || traceparent.length > TRACEPARENT_CHARACTERS_MAX) return ROOT_CONTEXT
  const parent = parseTraceParent(traceparent)
  if (parent === null) return ROOT_CONTEXT
  const state = typeof tracestate === 'string' && tracestate.length <= TRACESTATE_CHARACTERS_MAX ? tracestate : ''
  const traceState = state === '' ? {} : { traceState: createTraceState(state) }
  return trace.setSpanContext(ROOT_CONTEXT, { ...parent, ...traceState, isRemote: true })
}

/** Known methods; any other is `_OTHER`, as of the semantic conventions of HTTP. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])

type Placed = Span & { readonly recorded: Recorded; readonly context: Context }

const place = (parent: Context, recorded: Recorded): Placed => ({
  recorded,
  context: trace.setSpan(parent, recorded),
})

const isPlaced = (span: Span | undefined): span is Placed => span !== undefined && 'recorded' in span

/** Ends a span with `work`, which it leaves as it is. Only that something failed is recorded, never its message. */
const endAfter = <Outcome>(recorded: Recorded, work: () => Outcome): Outcome => {
  const fail = (): void => {
    recorded.setStatus({ code: SpanStatusCode.ERROR })
    recorded.end()
  }
  try {
    const outcome = work()
    if (outcome instanceof Promise) outcome.then(() => recorded.end(), fail)
    else recorded.end()
    return outcome
  } catch (fault) {
    fail()
    throw fault
  }
}

const endRequest = (recorded: Recorded, method: string, end: RequestEnd): void => {
  const { route, operation, requestId, status, code, isAborted } = end
  if (route !== undefined) recorded.updateName(`${method} ${route}`).setAttribute('http.route', route)
  recorded.setAttribute('mintmark.operation', operation).setAttribute('mintmark.request_id', requestId)
  const error = isAborted ? 'aborted' : code
  if (!isAborted) recorded.setAttribute('http.response.status_code', status)
  // A refusal is the caller's error, not one of the service.
  if (error !== undefined && (isAborted || status >= 500)) {
    recorded.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR })
  }
  recorded.end()
}

/** `requests` decides by the configured sampler; `steps` records all, of requests that are sampled. */
export type Tracers = { readonly requests: Tracer; readonly steps: Tracer }

export const makeTraces = ({ requests, steps }: Tracers): Traces => {
  const spans = new AsyncLocalStorage<Placed | undefined>()

  const startRequest = (head: RequestHead): RequestSpan => {
    const parent = readContext(head)
    const method = METHODS.has(head.method) ? head.method : '_OTHER'
    const name = method === '_OTHER' ? 'HTTP' : method
    const attributes = { 'http.request.method': method, 'url.scheme': head.scheme }
    const startTime = Date.now() - head.waitedMs
    const recorded = requests.startSpan(name, { kind: SpanKind.SERVER, attributes, startTime }, parent)
    return {
      traceId: recorded.spanContext().traceId,
      sampled: recorded.isRecording() ? place(parent, recorded) : undefined,
      end: end => endRequest(recorded, name, end),
    }
  }

  const startBelow = ({ context }: Placed, name: string, startTime?: number): Recorded =>
    steps.startSpan(name, { ...(startTime !== undefined && { startTime }) }, context)

  return {
    startRequest,
    current: () => spans.getStore(),
    inside: (span, work) => spans.run(isPlaced(span) ? span : undefined, work),
    step: (name, work) => {
      const parent = spans.getStore()
      if (parent === undefined) return work()
      const recorded = startBelow(parent, name)
      return endAfter(recorded, () => spans.run(place(parent.context, recorded), work))
    },
    record: (span, name, [beganAt, endedAt]) => {
      if (isPlaced(span)) startBelow(span, name, beganAt).end(endedAt)
    },
    batch: (name, members, work) => {
      const sampled = members.filter(isPlaced)
      // Not in the span of the member that came first, whose code began the batch.
      if (sampled.length === 0) return spans.run(undefined, work)
      const links = sampled.map(({ recorded }) => ({ context: recorded.spanContext() }))
      const attributes = {
        'mintmark.batch.requests': members.length,
        'mintmark.batch.requests_sampled': sampled.length,
      }
      const recorded = steps.startSpan(`batch ${name}`, { links, attributes }, ROOT_CONTEXT)
      const link = { context: recorded.spanContext() }
      for (const member of sampled) member.recorded.addLink(link)
      return endAfter(recorded, () => spans.run(place(ROOT_CONTEXT, recorded), work))
    },
  }
}
