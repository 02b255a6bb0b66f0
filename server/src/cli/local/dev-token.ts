// mintmark dev-token
import { type Command, Option } from 'commander'
import { timingOf } from '../../compose/timing.ts'
import { readDevConfig } from '../../config/config.ts'
import { readDevSecrets } from '../../dev/dev-secrets.ts'
import { fetchDevToken } from '../../dev/dev-token.ts'
import { ROLES, type Role } from '../../../../api/values/access.ts'
import { StartRefused } from '../../config/start-refused.ts'
import { completeLocal } from './local-only.ts'
import { printJson, printLine } from '../terminal/print.ts'

const run = async (options: { readonly role: Role; readonly json?: boolean }): Promise<void> => {
  const { dataDirectory } = readDevConfig()
  const secrets = readDevSecrets(dataDirectory)
  if (secrets === undefined)
    throw new StartRefused(`${dataDirectory} holds no development service; start \`mintmark dev\` there first.`)
  const token = await fetchDevToken(secrets.identity_provider, options.role, timingOf())
  if (options.json) return printJson({ identity_provider_jwt: token })
  printLine(token)
}

export const addDevToken = (program: Command): void => {
  const command = program
    .command('dev-token')
    .description('print another JWT of the development identity provider, good for 12 hours')
    .addOption(new Option('--role <role>', 'the role of the operator whom it names').choices(ROLES).default('admin'))
    .option('--json', 'print {"identity_provider_jwt"}')
  completeLocal(command, 'mintmark dev-token --role viewer').action(run)
}
