// Reads a header that has one value. An empty one counts as none.
import type { FastifyRequest } from 'fastify'

export const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
