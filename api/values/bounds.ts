// Bounds of requests that belong to one operation.

export const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255

/** Longer ones are not read: one by RSA with 4096 bits has some 2000 characters, one by ES256 some 500. */
export const PROOF_CHARACTERS_MAX = 4096

/** Clients of one document: all are imported in one transaction. */
export const IMPORTED_CLIENTS_MAX = 1000

/** Of a document: the export of a realm holds much that is not needed here. */
export const IMPORT_BYTES_MAX = 16 * 1_048_576

/** Of all kinds, also of what is passed over. An export of that length has some 450,000. */
export const IMPORT_VALUES_MAX = 500_000

/** What to do with a larger one. */
export const IMPORT_ADVICE = 'leave out what is no client, or import it in parts'

/** Entries of a map of scopes. */
export const SCOPE_MAP_MAX = 1000

/** Scopes of a client that are listed as left out, and audiences. */
export const LEFT_OUT_MAX = 100
