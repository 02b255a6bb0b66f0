// What every route is built over.
import type { Logger } from 'pino'
import type { Ports } from '../ports.ts'
import type { InTime } from './answer-deadline.ts'
import type { Refuser } from './refusals.ts'

export type Wire = {
  readonly ports: Ports
  readonly refuser: Refuser
  readonly logger: Logger
  /** The deadline of each answer; one timer looks after all of them. */
  readonly inTime: InTime
}
