// Reads the context of a trace that a caller sends: W3C Trace Context, level 1. Whatever is not as it says counts as not sent.
import { type Context, createTraceState, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { RequestHead } from '../ports/traces.ts'

/** A later version may be longer than the 55 characters of version 00 (section 3.2.3). */
const TRACEPARENT_CHARACTERS_MAX = 256
/** What a service must be able to pass on (section 3.3.1.5); more is dropped whole. */
const TRACESTATE_CHARACTERS_MAX = 512

/** The context to start the span of the request in. */
export const readContext = ({ traceparent, tracestate }: Pick<RequestHead, 'traceparent' | 'tracestate'>): Context => {
  if (typeof traceparent !== 'string' || traceparent.length > TRACEPARENT_CHARACTERS_MAX) return ROOT_CONTEXT
  const parent = parseTraceParent(traceparent)
  if (parent === null) return ROOT_CONTEXT
  const state = typeof tracestate === 'string' && tracestate.length <= TRACESTATE_CHARACTERS_MAX ? tracestate : ''
  const traceState = state === '' ? {} : { traceState: createTraceState(state) }
  return trace.setSpanContext(ROOT_CONTEXT, { ...parent, ...traceState, isRemote: true })
}
