// Secrets that another server made: what is asked of them, since nobody knows how random they are.

/** One that is shorter is never kept under a fast hash: docs/decisions/0015-imported-secrets.md. */
export const IMPORTED_SECRET_CHARACTERS_MIN = 20
export const IMPORTED_SECRET_CHARACTERS_MAX = 1024

/** Whether it is long enough to be kept as ours are. */
export const isKeptFast = (secret: string): boolean => secret.length >= IMPORTED_SECRET_CHARACTERS_MIN
