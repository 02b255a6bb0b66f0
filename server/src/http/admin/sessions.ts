// What the operations on sessions of the console do.
import * as api from '../../../../api/sessions.ts'
import { sessionRecord } from '../../domain/clients/session.ts'
import { endSession, listSessions } from '../../operations/sessions/sessions.ts'
import { bind, bindList } from './binding.ts'

export const bindings = [
  bindList(api.listSessions, { filtersOf: () => null, list: listSessions, format: sessionRecord }),
  bind(api.endSession, { run: (ports, origin, { path }) => endSession(ports, origin, path.id) }),
]
