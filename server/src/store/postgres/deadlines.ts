// How long the store takes at most.

/** After so long a request is answered 503; whether it was done is then unknown. */
export const STORE_DEADLINE_MS = 4500
