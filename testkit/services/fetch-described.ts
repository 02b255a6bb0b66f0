// Fetches from a service in a process of its own, and holds each answer against the OpenAPI document of that service.
import assert from 'node:assert/strict'
import { type Description, type Document, readDescription } from './described.ts'

type Service = { readonly document: Document; readonly description: Description }

const services = new Map<string, Promise<Service>>()

const readService = async (base: string): Promise<Service> => {
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as Document
  return { document, description: readDescription(document) }
}

const segmentsOf = (path: string): readonly string[] => path.split('/')

const isParameter = (segment: string): boolean => segment.startsWith('{')

/** The path of the document that a path of the wire is; one that is written out goes before one with parameters. */
const pathIn = (document: Document, path: string): string | undefined => {
  const asked = segmentsOf(path)
  const matching = Object.keys(document.paths).filter(one => {
    const segments = segmentsOf(one)
    return segments.length === asked.length && segments.every((name, n) => isParameter(name) || name === asked[n])
  })
  return matching.toSorted((a, b) => a.split('{').length - b.split('{').length)[0]
}

/** Like `fetch`, but checks the response; `basePath` is the path of the service's base URL. */
export const fetchDescribed = async (address: string, init: RequestInit = {}, basePath = ''): Promise<Response> => {
  const response = await fetch(address, init)
  const { origin, pathname } = new URL(address)
  const known = services.get(origin) ?? readService(origin + basePath)
  services.set(origin, known)
  const { document, description } = await known
  const path = pathIn(document, pathname.slice(basePath.length)) ?? ''
  const operation = description.operation((init.method ?? 'GET').toLowerCase(), path)
  assert.ok(operation !== undefined, `${address} is not in the OpenAPI document.`)
  const headers = Object.fromEntries(response.headers)
  const body = await response.clone().text()
  assert.deepEqual(description.checkAnswer(operation, { status: response.status, headers, body }), [])
  return response
}

/** Posts a form. */
export const postForm = (
  address: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> => fetchDescribed(address, { method: 'POST', headers, body: new URLSearchParams(fields) })
