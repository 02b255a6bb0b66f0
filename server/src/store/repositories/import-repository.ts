// The port of imports.
import type { ImportRepository } from '../../ports/imports.ts'
import type { Writer } from '../jobs.ts'

export const makeImportRegister = ({ call }: Writer): ImportRepository => ({
  create: (agents, act, isTrial) => call('importAgents', { agents, act, isTrial }),
  convert: (credentialId, secretHash, act, until) => call('convertSecret', { credentialId, secretHash, act }, until),
})
