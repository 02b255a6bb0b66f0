// Bounds of requests that belong to one operation.

export const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255

/** Agents of one request: all are imported in one transaction. */
export const IMPORTED_AGENTS_MAX = 100

/** The size of an import request. An agent with the most that it may have takes some 40 KiB. */
export const IMPORT_BYTES_MAX = 1_048_576

/** The number of values in an import request. An agent with the most that it may have has some 150. */
export const IMPORT_VALUES_MAX = 20_000
