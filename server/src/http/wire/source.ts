// Reads where a request came from, off its connection. Whatever a connection can tell may be missing.
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { type Source, UNKNOWN_SOURCE } from '../../domain/source.ts'

const isAddress = (text: string | undefined): text is Exclude<Source, typeof UNKNOWN_SOURCE> => isIP(text ?? '') > 0

/** Fastify passes on what the socket says, which its types leave out: without an address where the peer has reset it. */
export const sourceOf = ({ ip }: { readonly ip: FastifyRequest['ip'] | undefined }): Source =>
  isAddress(ip) ? ip : UNKNOWN_SOURCE
