// The route of imports: the one whose body is read beside the threads that serve.
import type { FastifyInstance } from 'fastify'
import { ACCESS } from '../../../../api/values/access.ts'
import { IMPORT_BYTES_MAX } from '../../../../api/values/bounds.ts'
import { importBody } from './import-body.ts'
import { importAnswer, requireImportAccess, makeImportHandler } from './import-clients.ts'
import { makeImportLimit } from './import-limit.ts'
import { describeAdministration } from '../openapi/openapi.ts'
import type { AdministrationWire } from '../wire/wire.ts'

export const registerImports = (app: FastifyInstance, wire: AdministrationWire): void => {
  const limit = makeImportLimit(wire.importCell)
  app.post(
    '/api/v1/imports',
    {
      ...describeAdministration({
        operationId: 'importClients',
        summary: 'Take over the clients of another server',
        access: ACCESS.writeAgents,
        body: importBody,
        answers: { 200: importAnswer },
      }),
      bodyLimit: IMPORT_BYTES_MAX,
      onRequest: requireImportAccess(wire, limit),
      onSend: async (_request, reply) => limit.leave(reply.raw),
      validatorCompiler: () => (body: unknown) => ({ value: body }),
    },
    makeImportHandler(wire, limit),
  )
}
