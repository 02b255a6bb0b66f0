// Form-encoded bodies and query strings as they came.
import { isUtf8 } from 'node:buffer'
import { type Pair, parsePairs } from '../../../../packages/verify/src/readers/form.ts'

/** Pairs as they came, in order; undefined where the text is not form-encoded UTF-8. */
export type RawFields = { readonly pairs: readonly Pair[] | undefined }

export const parseBody = (body: Buffer): readonly Pair[] | undefined =>
  isUtf8(body) ? parsePairs(body.toString('utf8')) : undefined
