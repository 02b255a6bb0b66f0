// A collector of traces: receives OTLP over HTTP in protobuf, and shows what it was sent.
// Source: opentelemetry/proto/trace/v1/trace.proto and its neighbors of github.com/open-telemetry/opentelemetry-proto, whose
// field numbers these are.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { PbfReader } from 'pbf'
import { until } from '../processes/until.ts'

type Attributes = Record<string, string | number | boolean>

export type CollectedSpan = {
  traceId: string
  spanId: string
  parentSpanId: string
  traceState: string
  name: string
  kind: number
  /** The time in ns since 1970. */
  startTime: bigint
  endTime: bigint
  /** 0: unset, 2: error. */
  status: number
  readonly attributes: Attributes
  readonly links: { traceId: string; spanId: string }[]
  /** The resource attributes of the process that sent it. */
  resource: Attributes
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const fixed64 = (reader: PbfReader): bigint => {
  const at = reader.pos
  reader.pos += 8
  return Buffer.from(reader.buf.buffer, reader.buf.byteOffset).readBigUInt64LE(at)
}

/** Reads each field of the message that is next, or of the whole. Fields that `read` leaves are skipped. */
const each = (reader: PbfReader, read: (tag: number, reader: PbfReader) => void, isWhole = false): void => {
  const into = (tag: number): void => read(tag, reader)
  if (isWhole) reader.readFields(into, undefined)
  else reader.readMessage(into, undefined)
}

const readValue = (reader: PbfReader): string | number | boolean => {
  let value: string | number | boolean = ''
  each(reader, tag => {
    if (tag === 1) value = reader.readString()
    else if (tag === 2) value = reader.readBoolean()
    else if (tag === 3) value = reader.readVarint(true)
    else if (tag === 4) value = reader.readDouble()
  })
  return value
}

const readAttribute = (reader: PbfReader, attributes: Attributes): void => {
  let key = ''
  each(reader, tag => {
    if (tag === 1) key = reader.readString()
    else if (tag === 2) attributes[key] = readValue(reader)
  })
}

const readLink = (reader: PbfReader): { traceId: string; spanId: string } => {
  const link = { traceId: '', spanId: '' }
  each(reader, tag => {
    if (tag === 1) link.traceId = hexOf(reader.readBytes())
    else if (tag === 2) link.spanId = hexOf(reader.readBytes())
  })
  return link
}

const readSpan = (reader: PbfReader, resource: Attributes): CollectedSpan => {
  const ids = { traceId: '', spanId: '', parentSpanId: '', traceState: '', name: '', kind: 0, status: 0 }
  const times = { startTime: 0n, endTime: 0n }
  const span: CollectedSpan = { ...ids, ...times, attributes: {}, links: [], resource }
  const readers: Readonly<Record<number, () => void>> = {
    1: () => (span.traceId = hexOf(reader.readBytes())),
    2: () => (span.spanId = hexOf(reader.readBytes())),
    3: () => (span.traceState = reader.readString()),
    4: () => (span.parentSpanId = hexOf(reader.readBytes())),
    5: () => (span.name = reader.readString()),
    6: () => (span.kind = reader.readVarint()),
    7: () => (span.startTime = fixed64(reader)),
    8: () => (span.endTime = fixed64(reader)),
    9: () => readAttribute(reader, span.attributes),
    13: () => span.links.push(readLink(reader)),
    15: () =>
      each(reader, tag => {
        if (tag === 3) span.status = reader.readVarint()
      }),
  }
  each(reader, tag => readers[tag]?.())
  return span
}

const readResourceSpans = (reader: PbfReader): readonly CollectedSpan[] => {
  const resource: Attributes = {}
  const spans: CollectedSpan[] = []
  const readResource = (tag: number): void => {
    if (tag === 1) readAttribute(reader, resource)
  }
  const readScope = (tag: number): void => {
    if (tag === 2) spans.push(readSpan(reader, resource))
  }
  each(reader, tag => {
    if (tag === 1) each(reader, readResource)
    else if (tag === 2) each(reader, readScope)
  })
  return spans
}

/** The spans of an ExportTraceServiceRequest. */
export const readExport = (body: Uint8Array): readonly CollectedSpan[] => {
  const spans: CollectedSpan[] = []
  const reader = new PbfReader(body)
  each(
    reader,
    tag => {
      if (tag === 1) spans.push(...readResourceSpans(reader))
    },
    true,
  )
  return spans
}

export type Collector = {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string
  readonly spans: readonly CollectedSpan[]
  /** The header fields of each export. */
  readonly exports: readonly IncomingMessage['headers'][]
  /** Waits until the collected spans are enough. */
  readonly waitFor: (what: string, isEnough: (spans: readonly CollectedSpan[]) => boolean) => Promise<void>
  readonly close: () => Promise<void>
}

const OK = (response: ServerResponse): void => void response.writeHead(200).end()

/** `answer`: what an export is answered once it is read. */
export const startCollector = async (answer: (response: ServerResponse) => void = OK): Promise<Collector> => {
  const spans: CollectedSpan[] = []
  const exports: IncomingMessage['headers'][] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      exports.push(request.headers)
      spans.push(...readExport(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body))
      answer(response)
    })
  })
  server.listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    exports,
    waitFor: (what, isEnough) => until(what, () => Promise.resolve(isEnough(spans))),
    close: async () => {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
}
