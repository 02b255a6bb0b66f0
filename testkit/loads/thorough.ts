// Whether a test tries all that it can: every text in every place, every combination of filters, more and larger random worlds.
// `npm test` tries a share of each, by turns, so that it stays short; `TEST_THOROUGH=1 npm test` tries all.
export const isThorough = process.env['TEST_THOROUGH'] === '1'
