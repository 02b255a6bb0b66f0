// The exports that a thread has under way: a bounded number, each broken off when the server closes.
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { OrRefusal } from '../../domain/refusal.ts'
import { makeConcurrencyLimit, type Permit } from '../../operations/concurrency-limit.ts'
import { makeIdleTime, type IdleTime } from '../wire/spare-time.ts'
import type { AdministrationWire } from '../wire/wire.ts'

/** Each may hold a page in memory for as long as its caller takes to read it. */
const EXPORTS_MAX = 4

export type ExportLimit = {
  /** A place for the answer, left when that has been sent or its connection is no more. */
  readonly enter: (response: ServerResponse) => OrRefusal<Permit>
  /** For all of them together. */
  readonly idleTime: IdleTime
}

/** An export that is under way when the server closes would keep it open: its caller asks again elsewhere. */
export const makeExportLimit = (app: FastifyInstance, { logger }: Pick<AdministrationWire, 'logger'>): ExportLimit => {
  const underWay = new Set<ServerResponse>()
  const enter = makeConcurrencyLimit(EXPORTS_MAX, () =>
    logger.warn({ underWay: EXPORTS_MAX }, 'exports are refused until others have ended'),
  )
  app.addHook('preClose', done => {
    for (const response of underWay) response.destroy()
    done()
  })
  return {
    idleTime: makeIdleTime(),
    enter: response => {
      const place = enter()
      if ('refusal' in place) return place
      underWay.add(response)
      response.once('close', () => {
        underWay.delete(response)
        place.release()
      })
      return place
    },
  }
}
