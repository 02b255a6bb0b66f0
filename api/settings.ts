// The settings of the service, and where each comes from.
import { z } from 'zod'
import { textOrNull } from './fields.ts'
import { operation } from './operation.ts'
import { ACCESS } from './values/access.ts'
import { SECRET_SHOWN, SETTING_GROUP_NAMES, SETTING_SOURCES, SETTING_UNITS } from './values/settings.ts'

const setting = z.object({
  name: z.string().describe('A variable, or a member of the configuration file.'),
  group: z.enum(SETTING_GROUP_NAMES).describe('What it is about.'),
  value: textOrNull.describe(
    `In effect, as a variable would have it, without credentials in addresses; of a secret \`${SECRET_SHOWN.set}\` or \`${SECRET_SHOWN.unset}\`. Null: none.`,
  ),
  secret: z.boolean(),
  source: z
    .enum(SETTING_SOURCES)
    .describe(
      '`environment`: a variable. `secret_file`: a file that a variable names. `configuration_file`: that of `MINTMARK_CONFIG_FILE`. `development`: `mintmark dev` chose it. `not_read`: nothing reads it with the other settings as they are.',
    ),
  variable: textOrNull.describe('The variable that gives it; null where none does.'),
  unit: z.enum(SETTING_UNITS).nullable(),
  bounds: textOrNull.describe('Which values it may have, where a list or a range says it.'),
  default: textOrNull.describe('Its value where nothing sets it. Null: none.'),
  example: textOrNull.describe('A value that it may have.'),
  meaning: z.string().describe('What it means, as the documentation says.'),
})

export const listSettings = operation({
  route: 'GET /api/v1/settings',
  id: 'listSettings',
  summary: 'List the settings of the service',
  access: ACCESS.readSettings,
  answers: { 200: z.object({ data: z.array(setting) }) },
  example: {
    answer: {
      data: [
        {
          name: 'MINTMARK_TOKEN_LIFETIME_SECONDS',
          group: 'tokens',
          value: '600',
          secret: false,
          source: 'environment',
          variable: 'MINTMARK_TOKEN_LIFETIME_SECONDS',
          unit: 'seconds',
          bounds: '1 to 86400',
          default: '300',
          example: null,
          meaning: 'the lifetime of tokens whose agent has no lifetime of its own',
        },
      ],
    },
  },
})
