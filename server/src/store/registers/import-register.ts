// The port of imports.
import type { ImportRegister } from '../../ports/imports.ts'
import type { Writer } from '../sqlite/writer-client.ts'

export const makeImportRegister = (writer: Pick<Writer, 'call'>): ImportRegister => ({
  create: (agents, act, isTrial) => writer.call('importAgents', { agents, act, isTrial }),
  convert: (credentialId, secretHash, act, until) =>
    writer.call('convertSecret', { credentialId, secretHash, act }, [], until),
})
