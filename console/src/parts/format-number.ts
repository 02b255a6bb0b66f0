// Whole numbers, with their thousands apart.
import type { Count } from '../../../packages/client/src/index.ts'

const number = new Intl.NumberFormat('en')

export const formatNumber = (count: number): string => number.format(count)

/** `12,345`; one that is not exact, which is a lower bound, as `10,000+`. */
export const formatCount = ({ count, exact }: Count): string => `${formatNumber(count)}${exact ? '' : '+'}`
