// Why a token ended, in words.

/** Names of reasons are an open set in lower snake case. */
export const formatReason = (reason: string): string => reason.replaceAll('_', ' ')
