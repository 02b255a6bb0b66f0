// References that are a table of the code and a sentence about it: settings, errors, metrics, events of the log, columns of exports.
import { SETTING_GROUP_NAMES, SETTING_GROUPS } from '../../api/values/settings.ts'
import { describeDefault, describeValues, type VariableEntry } from '../../server/src/config/settings/setting-entry.ts'
import { COMMAND_VARIABLES, settingEntries } from '../../server/src/config/settings/settings.ts'
import { bindings } from '../../server/src/http/admin/exports.ts'
import { ERRORS, type ErrorEntry } from '../../server/src/http/wire/error-reference.ts'
import { LOG_EVENTS, type LogEvent } from '../../server/src/ports/log-events.ts'
import { METRICS, type MetricKind, type MetricRow } from '../../server/src/ports/metrics.ts'

type Named<Entry> = readonly [string, Entry]

const settingRow = ([name, entry]: Named<VariableEntry>): string => {
  const file = entry.hasFile === true ? ' (`_FILE`)' : ''
  return `| \`${name}\`${file} | ${describeDefault(entry)} | ${describeValues(entry)} | ${entry.meaning} |`
}

const settingSection = (title: string, entries: readonly Named<VariableEntry>[]): string => `## ${title}

| variable | default | values | meaning |
|---|---|---|---|
${entries.map(settingRow).join('\n')}
`

/** A page in Markdown. */
export const writeSettings = (): string => {
  const groups = SETTING_GROUP_NAMES.map(group =>
    settingSection(
      SETTING_GROUPS[group],
      settingEntries().filter(([, entry]) => entry.group === group),
    ),
  )
  return `# Settings

Every variable of the environment. [Configure the service](../run/configure.md) says how variables, files and the configuration file are read.
\`_FILE\`: the value may be in a file whose path is in \`NAME_FILE\`.

${[...groups, settingSection('Variables of single commands', Object.entries(COMMAND_VARIABLES))].join('\n')}`
}

const errorSection = ([code, { status, title, causes, remedy }]: Named<ErrorEntry>): string =>
  `## ${code}\n\n${title}: status ${status}.\n\n${causes.map(cause => `- ${cause}\n`).join('')}\nWhat to do: ${remedy}\n`

/** A page in Markdown. */
export const writeErrors = (): string => `# Error codes

What each error code means and what to do about it. The service shows this reference at \`GET /errors\`.

| path | body of an error |
|---|---|
| \`/oauth/*\` | \`{"error","error_description"}\` (RFC 6749 §5.2) |
| \`/api/v1/*\` | \`application/problem+json\` (RFC 9457): \`type\`, \`title\`, \`status\`, \`detail\`, \`error\` and \`error_description\` |

- \`error\` is one of the codes below. Codes and statuses are stable; descriptions are for people and may change.
- \`type\` is the address of the code's section: \`{base URL}/errors#{code}\`.
- Every response carries \`X-Request-Id\`. Name it when you ask for help.
- An introspection never refuses a token: whatever is wrong with it, the response is 200 and \`{"active":false}\`.
- Text that a database cannot store (a NUL character, half of a surrogate pair) is refused like any other wrong value in its place.
- Bytes that are no HTTP request belong to no path: their error has the form of \`/oauth/*\`, and the connection is closed.

${Object.entries(ERRORS).map(errorSection).join('\n')}`

const KINDS: Readonly<Record<MetricKind, string>> = {
  counter: 'counter',
  gauge: 'gauge',
  seconds: 'histogram, s',
  counts: 'histogram',
}

const labelOf = ([label, values]: Named<readonly string[] | string>): string =>
  `\`${label}\`${typeof values === 'string' ? '' : `: ${values.join(', ')}`}`

const metricRow = ([name, { kind, labels, help }]: Named<MetricRow>): string => {
  const named = Object.entries(labels).map(labelOf)
  return `| \`${name}\` | ${KINDS[kind]} | ${named.length === 0 ? 'none' : named.join('; ')} | ${help} |`
}

/** A page in Markdown. */
export const writeMetrics = (): string => `# Metrics

Every metric of \`GET /metrics\`. [Health, logs and traces](../run/health-logs-traces.md) says how to scrape it; [Alerts](alerts.md) has the rules.

- \`operation\` is the id of an operation as in the OpenAPI document, or \`other\`. \`code\` is one of the [error codes](errors.md).
- \`task\` is one of the [background tasks](background-tasks.md). \`limit\` and \`work\` are words for rows of [Limits](limits.md).
- Beside them \`process_…\` has the processor time, memory, open files and start of the process, and \`nodejs_version_info\` the version of Node.

| metric | kind | labels | what it is |
|---|---|---|---|
${Object.entries(METRICS).map(metricRow).join('\n')}
`

const eventRow = ([name, { level, message, meaning }]: Named<LogEvent>): string =>
  `| \`${name}\` | ${level} | ${message === null ? 'varies' : `\`${message}\``} | ${meaning} |`

/** A page in Markdown. */
export const writeLogEvents = (): string => `# Log events

Every event of the log: \`event\` is the name to filter and to alert on, and never changes. [Health, logs and traces](../run/health-logs-traces.md) says what holds for all lines.

| event | level | \`msg\` | when, and with what |
|---|---|---|---|
${Object.entries(LOG_EVENTS).map(eventRow).join('\n')}
`

/** A page in Markdown. */
export const writeExportColumns = (): string => {
  const sections = bindings.map(
    ({ row, columns }) =>
      `## ${row.summary}\n\n\`${row.route}\`: ${Object.keys(columns)
        .map(name => `\`${name}\``)
        .join(', ')}\n`,
  )
  return `# Columns of exports

The columns of each export as CSV, in their order. [Exports](../manage/exports.md) says how to ask for one. A line of NDJSON is a record as its list has it.

${sections.join('\n')}`
}
