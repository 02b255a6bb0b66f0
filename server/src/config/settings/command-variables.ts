// The variables of single commands, which are no settings of the service.
import { parseServiceUrl } from '../addresses.ts'
import { parseKeyEncryptionKeyText, parsePassword, parsePastedToken, parseSecretLine, parseText } from '../values.ts'
import type { VariableEntry } from './setting-entry.ts'
import { KEY_EXPECTED } from './service-settings.ts'

export const COMMAND_VARIABLES = {
  MINTMARK_KEY_ENCRYPTION_KEY_OLD: {
    parse: parseKeyEncryptionKeyText,
    required: KEY_EXPECTED,
    otherwise: 'none',
    hasFile: true,
    isSecret: true,
    meaning: 'only `mintmark key reencrypt`: a secret, the previous key-encryption key',
  },
  MINTMARK_URL: {
    parse: parseServiceUrl,
    example: 'https://auth.example.com',
    meaning:
      'only administrative commands: the base URL of the service to call, instead of working on the store here; `https`, or `http` on loopback',
  },
  MINTMARK_API_KEY: {
    parse: parseSecretLine,
    hasFile: true,
    isSecret: true,
    meaning: 'a secret: the credential for that service',
  },
  MINTMARK_OPERATOR_JWT: {
    parse: parseSecretLine,
    hasFile: true,
    isSecret: true,
    meaning:
      'a secret: the credential for that service; where both are set, the JWT, and the API key for `token introspect`, which takes no JWT',
  },
  PGPASSWORD: {
    parse: parsePassword,
    hasFile: true,
    isSecret: true,
    isAnyText: true,
    meaning: 'a secret, only `mintmark migrate-store`: the password for `--to`',
  },
  MINTMARK_TOKEN: {
    parse: parsePastedToken,
    hasFile: true,
    isSecret: true,
    meaning: 'a secret, only `mintmark token introspect`: the token to check',
  },
  MINTMARK_CLIENT_ID: {
    parse: parseText,
    meaning: 'only `mintmark token get`: the agent for which it gets a token',
  },
  MINTMARK_CLIENT_SECRET: {
    parse: parseSecretLine,
    hasFile: true,
    isSecret: true,
    isAnyText: true,
    meaning: 'a secret, only `mintmark token get`: that of the agent',
  },
  MINTMARK_ACCESS_TOKEN: {
    parse: parseText,
    meaning: 'read by no command: `mintmark token get` sets it for the command that it runs',
  },
} as const satisfies Readonly<Record<string, VariableEntry>>
