// dev.env: exported variables for the lines of the banner and the README, for the user's own programs, and for the command
// line to call the running service.

type DevEnvironment = {
  readonly BASE_URL: string
  readonly AGENT_ID: string
  readonly CLIENT_ID: string
  readonly CLIENT_SECRET: string
  readonly ADMIN_API_KEY: string
  readonly IDENTITY_PROVIDER_JWT: string
}

// Inside single quotes a POSIX shell changes nothing; a quote itself must be closed, escaped and reopened.
const quote = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`

/** The variables that the command line reads. */
const commandLineOf = ({ BASE_URL, IDENTITY_PROVIDER_JWT, ADMIN_API_KEY }: DevEnvironment) => ({
  MINTMARK_URL: BASE_URL,
  MINTMARK_OPERATOR_JWT: IDENTITY_PROVIDER_JWT,
  MINTMARK_API_KEY: ADMIN_API_KEY,
})

export const formatDevEnvironment = (values: DevEnvironment): string =>
  Object.entries({ ...values, ...commandLineOf(values) })
    .map(([name, value]) => `export ${name}=${quote(value)}\n`)
    .join('')

/** A path for `source`, which searches PATH for a name without a slash. */
export const quotePath = (path: string): string => {
  const located = path.includes('/') ? path : `./${path}`
  return /^[A-Za-z0-9._/-]+$/.test(located) ? located : quote(located)
}
