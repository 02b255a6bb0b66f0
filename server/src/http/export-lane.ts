// The exports that a thread has under way: a bounded number, each broken off when the server closes.
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { OrRefusal } from '../domain/refusal.ts'
import { makeLane, type Place } from '../operations/lane.ts'
import { makeSpareTime, type SpareTime } from './spare-time.ts'
import type { AdministrationWire } from './wire.ts'

/** Each may hold a page in memory for as long as its caller takes to read it. */
const EXPORTS_MAX = 4

export type ExportLane = {
  /** A place for the answer, left when that has been sent or its connection is no more. */
  readonly enter: (response: ServerResponse) => OrRefusal<Place>
  /** For all of them together. */
  readonly spareTime: SpareTime
}

/** An export that is under way when the server closes would keep it open: its caller asks again elsewhere. */
export const makeExportLane = (app: FastifyInstance, { logger }: Pick<AdministrationWire, 'logger'>): ExportLane => {
  const underWay = new Set<ServerResponse>()
  const enter = makeLane(EXPORTS_MAX, () =>
    logger.warn({ underWay: EXPORTS_MAX }, 'exports are refused until others have ended'),
  )
  app.addHook('preClose', done => {
    for (const response of underWay) response.destroy()
    done()
  })
  return {
    spareTime: makeSpareTime(),
    enter: response => {
      const place = enter()
      if ('refusal' in place) return place
      underWay.add(response)
      response.once('close', () => {
        underWay.delete(response)
        place.leave()
      })
      return place
    },
  }
}
