// GET /errors: the error reference as a page, with a section for each code. The `type` of a problem links to its section.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ports } from '../../ports/ports.ts'
import { constantBody, sendConstant } from '../wire/constant-body.ts'
import { ERRORS, type ErrorEntry } from '../wire/error-reference.ts'
import { basePathOf } from '../wire/fields.ts'
import { escapeText, PAGE_HEADERS, writePage } from './page.ts'

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

export const makeErrorPageHandler = ({ profile, secrets }: Pick<Ports, 'profile' | 'secrets'>) => {
  const content = writeErrorPage(basePathOf(profile.issuer))
  const page = { body: constantBody(text => secrets.hash(text), content), type: 'text/html; charset=utf-8' }
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    sendConstant(request, reply.headers(PAGE_HEADERS), page)
}
