// How a request of a command travels, whichever way: into an application within this process, or to a service elsewhere.
import type { openAdministration } from '../../compose/compose.ts'

type Send = Awaited<ReturnType<typeof openAdministration>>['send']

export type Message = Parameters<Send>[0]

export type Reply = Awaited<ReturnType<Send>>

export type Transport = {
  /** Whoever answers, for a message to a person. */
  readonly name: string
  readonly send: (message: Message, signal: AbortSignal) => Promise<Reply>
  readonly close: () => Promise<void>
}
