// dev.env: exported variables that make every line of the banner and of the README paste and run, programs of one's own
// find what they need, and the command line ask the running service.

type DevEnvironment = {
  readonly BASE_URL: string
  readonly AGENT_ID: string
  readonly CLIENT_ID: string
  readonly CLIENT_SECRET: string
  readonly ADMIN_API_KEY: string
  readonly IDENTITY_PROVIDER_JWT: string
}

// Inside single quotes a POSIX shell takes everything as it is; a quote itself ends them and starts anew.
const quote = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`

/** What the command line reads. */
const commandLineOf = ({ BASE_URL, IDENTITY_PROVIDER_JWT }: DevEnvironment) => ({
  MINTMARK_URL: BASE_URL,
  MINTMARK_OPERATOR_JWT: IDENTITY_PROVIDER_JWT,
})

export const formatDevEnvironment = (values: DevEnvironment): string =>
  Object.entries({ ...values, ...commandLineOf(values) })
    .map(([name, value]) => `export ${name}=${quote(value)}\n`)
    .join('')

/** A path as a shell takes it after `source`, which looks up a bare name on PATH. */
export const quotePath = (path: string): string => {
  const located = path.includes('/') ? path : `./${path}`
  return /^[A-Za-z0-9._/-]+$/.test(located) ? located : quote(located)
}
