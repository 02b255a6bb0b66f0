// How every application of ours reads requests and answers faults, whatever it listens on.
import type { FastifyInstance } from 'fastify'
import { compileValidator } from './fields.ts'
import { parsePairs } from '../../../../packages/verify/src/readers/form.ts'
import type { Refuser } from './refusals.ts'

// Fastify's types know its own compilers only.
const COMPILERS: object = {
  buildValidator: () => compileValidator,
  // The schemas of answers only document: what is sent was typed where it was made.
  buildSerializer: () => () => (answer: unknown) => JSON.stringify(answer),
}

/** The longest parameter of a path is a kid: 128 characters, each of which becomes up to three when it is percent-encoded. */
const PARAMETER_CHARACTERS_MAX = 384

/** Options of Fastify: query strings as they came, for the schemas to parse. */
export const READING = {
  routerOptions: {
    querystringParser: (text: string) => ({ pairs: parsePairs(text) }),
    maxParamLength: PARAMETER_CHARACTERS_MAX,
  },
  // Named here and not set later, so that the compilers that Fastify brings, and that nobody uses, are not even loaded.
  schemaController: { compilersFactory: COMPILERS },
}

const FORM = 'application/x-www-form-urlencoded'

const takeForms = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(FORM, { parseAs: 'buffer' }, (request, body, done) => {
    const type = request.headers['content-type'] ?? ''
    const charset = type === FORM ? undefined : /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1]
    const isUtf8 = charset === undefined || charset.toLowerCase() === 'utf-8' || charset.toLowerCase() === 'utf8'
    // A body in another charset is none that we take: the validator then asks for one.
    done(null, isUtf8 ? body : null)
  })
}

export const useOurReaders = (app: FastifyInstance, refuser: Refuser): void => {
  app.setErrorHandler((fault, _request, reply) => refuser.fail(reply, fault))
  takeForms(app)
}
