// The administration for the user at the terminal: the same routes in an application that never listens. It gives away
// nothing but a way to send it a request from within the process.
import fastify from 'fastify'
import type { Origin } from '../../domain/caller.ts'
import { registerAdministration } from './administration-routes.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { READING, useOurReaders } from '../wire/readers.ts'
import { makeRefuser } from '../wire/refusals.ts'

export type Message = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path, and what follows a question mark. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** `type` is the media type; empty where there is none. */
export type Reply = { readonly status: number; readonly type: string; readonly body: AsyncIterable<Uint8Array> }

/** Rejects with what a handler threw: there is no log to look it up in. */
export type Send = (message: Message) => Promise<Reply>

/** `origin` is who asks, whatever the request says. */
export const makeInProcess = (ports: AdministrationPorts, origin: Origin): Send => {
  const faults: Error[] = []
  const keepFault = (fields: object): void => {
    if ('err' in fields && fields.err instanceof Error) faults.push(fields.err)
  }
  const logger = { debug: keepFault, info: keepFault, warn: keepFault, error: keepFault }
  const refuser = makeRefuser({
    recognise: () => Promise.resolve(origin),
    issuer: ports.profile.issuer,
    problemsUnder: '/api/',
    logger,
    reportUnavailable: (_requestId, fault) => void faults.push(fault),
    countRefusal: () => undefined,
  })
  const app = fastify({
    logger: false,
    ...READING,
    frameworkErrors: (fault, _request, reply) => void refuser.fail(reply, fault),
  })
  useOurReaders(app, refuser)
  const wire = { ports, refuser, logger, inTime: <T>(work: Promise<T>) => work, importCell: new Int32Array(1) }
  void app.register(async scope => registerAdministration(scope, wire))
  return async ({ method, target, headers, body }) => {
    const answer = await app.inject({
      method,
      url: target,
      headers,
      ...(body !== undefined && { payload: body }),
      payloadAsStream: true,
    })
    const [fault] = faults.splice(0)
    if (fault !== undefined) throw fault
    const type = answer.headers['content-type']
    return {
      status: answer.statusCode,
      type: typeof type === 'string' ? type : '',
      body: answer.stream(),
    }
  }
}
