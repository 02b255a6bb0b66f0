// GET /errors: the error reference as a page, with a section for each code. The `type` of a problem links to its section.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { constantBody, type Hash, sendConstant } from '../oauth/constant-body.ts'
import { ERRORS, type ErrorEntry } from '../wire/error-reference.ts'
import { describeRead } from './openapi.ts'
import { PAGE_HEADERS, writePage } from './page.ts'

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The one markup that the reference uses: code in backticks. */
const toHtml = (text: string): string => escapeText(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

const writeSection = (code: string, { status, title, causes, remedy }: ErrorEntry): string =>
  `<section id="${code}">
<h2><a href="#${code}"><code>${code}</code></a></h2>
<p>${title}: status ${status}.
<ul>
${causes.map(cause => `<li>${toHtml(cause)}`).join('\n')}
</ul>
<p><strong>What to do:</strong> ${toHtml(remedy)}
</section>`

const INTRODUCTION = `<h1>Mintmark: error codes</h1>
<p>Every refusal carries one of these codes as <code>error</code>. The code and the status are stable; the text of
<code>error_description</code> may change. Every response carries <code>X-Request-Id</code>: name it when you ask for help.`

const writeErrorPage = (basePath: string): string => {
  const sections = Object.entries(ERRORS).map(([code, entry]) => writeSection(code, entry))
  return writePage({ title: 'Mintmark: error codes', basePath, content: [INTRODUCTION, ...sections].join('\n') })
}

type ErrorPageOptions = { readonly basePath: string; readonly hash: Hash }

export const registerErrorPage = (app: FastifyInstance, { basePath, hash }: ErrorPageOptions): void => {
  const page = { body: constantBody(hash, writeErrorPage(basePath)), type: 'text/html; charset=utf-8' }
  const schema = describeRead({
    operationId: 'readErrorReference',
    summary: 'Error reference',
    answers: {
      200: {
        description: 'A page with a section for each error code.',
        content: { 'text/html': { schema: z.string() } },
      },
      304: z.undefined(),
    },
    headers: ['Content-Security-Policy', 'X-Content-Type-Options', 'ETag'],
  })
  app.get(`${basePath}/errors`, { schema }, (request, reply) =>
    sendConstant(request, reply.headers(PAGE_HEADERS), page),
  )
}
