// Every parser of ours that reads what strangers, other servers or files say.
import { DOCUMENT_PARSERS } from './document-parsers.ts'
import { KEY_PARSERS } from './key-parsers.ts'
import { PACKAGE_PARSERS } from './package-parsers.ts'
import type { Parser } from './parser.ts'
import { VALUE_PARSERS } from './value-parsers.ts'
import { WIRE_PARSERS } from './wire-parsers.ts'

export const PARSERS: readonly Parser[] = [
  ...VALUE_PARSERS,
  ...WIRE_PARSERS,
  ...KEY_PARSERS,
  ...DOCUMENT_PARSERS,
  ...PACKAGE_PARSERS,
]
