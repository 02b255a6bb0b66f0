// Whether a caller takes a compressed body (RFC 9110 §12.5.3).
import type { FastifyRequest } from 'fastify'

export const takesGzip = ({ headers }: FastifyRequest): boolean => /\bgzip\b/.test(headers['accept-encoding'] ?? '')
