// When to ask again, as a server says it in `Retry-After` (RFC 9110 §10.2.3).

const IMF_FIXDATE = /^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>[\d:]{8}) GMT$/
/** The obsolete forms, which a recipient accepts (§5.6.7): of RFC 850, and of `asctime` in C. */
const RFC_850 = /^[A-Z][a-z]+day, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>[\d:]{8}) GMT$/
const ASCTIME = /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>[\d:]{8}) (?<year>\d{4})$/

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A year of two digits is of this century, or past where that is so far ahead (§5.6.7). */
const CENTURY = '20'
const AHEAD_MS_MAX = 50 * 365.25 * 24 * 60 * 60 * 1000

/** In ms since 1970; NaN for what is no date of HTTP. Date.parse alone takes far more, and some of it as local time. */
const parseHttpDate = (text: string, wallMs: number): number => {
  const {
    day = '',
    month = '',
    year = '',
    time = '',
  } = [IMF_FIXDATE, RFC_850, ASCTIME].map(form => form.exec(text)?.groups).find(Boolean) ?? {}
  const number = String(MONTHS.indexOf(month) + 1).padStart(2, '0')
  const at = Date.parse(`${year.padStart(4, CENTURY)}-${number}-${day.replace(' ', '0')}T${time}Z`)
  return year.length === 2 && at > wallMs + AHEAD_MS_MAX ? 0 : at
}

/** The wait in whole seconds, of 1 to the given most; undefined where none is stated, or it cannot be read. */
export const retryAfterSecondsOf = (headers: Headers, wallMs: number, secondsMax: number): number | undefined => {
  const text = headers.get('retry-after')?.trim() ?? ''
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((parseHttpDate(text, wallMs) - wallMs) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 1), secondsMax)
}
