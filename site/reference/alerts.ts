// The reference of alerts, from the rules that Prometheus reads.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
}
type Rules = { readonly groups: readonly { readonly rules: readonly Rule[] }[] }

const RULES = 'deploy/prometheus/mintmark.rules.yaml'

const sectionOf = ({ alert, expr, for: lasting, labels: { severity } }: Rule): string => `## ${alert}

Severity ${severity}${lasting === undefined ? '' : `, once it has held for ${lasting}`}. [What to do](../run/runbook.md#${alert.toLowerCase()})

\`\`\`text
${expr.trim()}
\`\`\`
`

/** A page in Markdown. */
export const writeAlerts = (): string => {
  const { groups } = parse(readFileSync(join(import.meta.dirname, '../..', RULES), 'utf8')) as Rules // our own file, which a test reads
  return `# Alerts

Each alert of [${RULES}](../../${RULES}), for Prometheus 2.42 and later. The [runbook](../run/runbook.md) says what each means and what to do.

| severity | meaning |
|---|---|
| critical | callers are affected now, or a token cannot be ended |
| warning | look today |
| info | look this week |

${groups
  .flatMap(({ rules }) => rules)
  .map(sectionOf)
  .join('\n')}`
}
