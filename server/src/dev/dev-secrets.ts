// The secrets that `mintmark dev` generated for this folder and needs at its next start.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { StartRefused } from '../config/start-refused.ts'
import { writeSecrets } from '../files/write-output.ts'
import { readFileSync } from 'node:fs'
import { withoutByteOrderMark } from '../domain/text/text.ts'

// Files of the data folder that `mintmark dev` wrote at a former start.

/** The text, or undefined if there is no such file. */
export const readPrivateFile = (path: string): string | undefined => {
  try {
    return withoutByteOrderMark(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

const text = z.string().min(1)

const schema = z.strictObject({
  identity_provider: z.strictObject({
    /** The URL of the issuer, at which the provider listens; `mintmark dev-token` reads it. */
    issuer: text,
    client_secret: text,
    private_jwk: z.strictObject({ kty: z.literal('EC'), crv: z.literal('P-256'), x: text, y: text, d: text }),
  }),
  agent: z.strictObject({ agent_id: text, client_id: text, client_secret: text }).nullable(),
  api_key: z.strictObject({ api_key_id: text, api_key: text }).nullable(),
})

export type DevSecrets = z.output<typeof schema>

const pathIn = (dataDirectory: string): string => join(dataDirectory, 'dev-secrets.json')

const parse = (json: string): DevSecrets | undefined => {
  try {
    return schema.parse(JSON.parse(json))
  } catch {
    return undefined
  }
}

/** The secrets of this folder, or undefined if `mintmark dev` has generated none. */
export const readDevSecrets = (dataDirectory: string): DevSecrets | undefined => {
  const path = pathIn(dataDirectory)
  const json = readPrivateFile(path)
  if (json === undefined) return undefined
  const secrets = parse(json)
  if (secrets === undefined)
    throw new StartRefused(`${path} is damaged; remove it, and \`mintmark dev\` makes new secrets.`)
  return secrets
}

export const writeDevSecrets = (dataDirectory: string, secrets: DevSecrets): void =>
  writeSecrets(pathIn(dataDirectory), `${JSON.stringify(secrets, null, 2)}\n`)

/** A key and a client secret for a new identity provider; the demo agent and its API key come later. */
export const makeDevSecrets = (issuer: string): DevSecrets => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' })
  const client_secret = randomBytes(32).toString('base64url')
  return {
    identity_provider: { issuer, client_secret, private_jwk: { kty: 'EC', crv: 'P-256', x, y, d } },
    agent: null,
    api_key: null,
  }
}
