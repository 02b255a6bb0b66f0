// The machine's monotonic time.

/** In ms: one for all threads. Deadlines are in it. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6
