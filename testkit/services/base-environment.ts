// An environment that `serve` takes, and files that its variables may name.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigurationError, type Environment } from '../../server/src/config/config.ts'

const folder = mkdtempSync(join(tmpdir(), 'mintmark-config-'))
// Not by a hook: in a bundle of test files that would be one of the first of them that wrote a file.
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

/** Writes a file that the end of the process removes. */
export const file = (name: string, text: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

export const KEY = Buffer.alloc(32, 7).toString('base64')

export const BASE: Environment = {
  MINTMARK_BASE_URL: 'https://auth.example.com',
  MINTMARK_KEY_ENCRYPTION_KEY: KEY,
  MINTMARK_IDP_ISSUER: 'https://login.example.com/',
  MINTMARK_IDP_AUDIENCE: 'mintmark',
}

export const mistakesOf = async (read: () => unknown): Promise<readonly string[]> => {
  try {
    await read()
  } catch (error) {
    assert.ok(error instanceof ConfigurationError, String(error))
    return error.mistakes
  }
  return []
}
