// Whole numbers, with their thousands apart.
const number = new Intl.NumberFormat('en')

export const formatNumber = (count: number): string => number.format(count)
