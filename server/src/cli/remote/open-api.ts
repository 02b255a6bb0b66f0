// Where a command goes: to the store of this machine as its owner, or to a service elsewhere with a credential.
import { type Command, Option } from 'commander'
import { openAdministration } from '../../compose/administration.ts'
import { readCommandConfig, readRemoteConfig } from '../../config/config.ts'
import type { RemoteConfig } from '../../config/remote.ts'
import { type Api, connectApi, connectDirect } from './api.ts'
import type { Timing } from '../../ports/timing.ts'
import { cliOrigin } from './cli-origin.ts'
import { CommandFailed, EXIT } from '../terminal/exit.ts'
import { connectRemote } from './remote-transport.ts'
import { serviceUrlOf } from '../terminal/service-url.ts'
import { readSecret } from '../terminal/standard-input.ts'

export type WhereOptions = { readonly url?: string; readonly apiKeyFile?: string; readonly jwtFile?: string }

/** The options of every command that administers. */
export const addWhere = (command: Command): Command =>
  command
    .optionsGroup('Where:')
    .option('--url <url>', 'ask this service, instead of the store here (MINTMARK_URL)', serviceUrlOf)
    .addOption(
      new Option('--api-key-file <file>', 'with the API key in this file, or - for standard input').conflicts(
        'jwtFile',
      ),
    )
    .option('--jwt-file <file>', 'with the JWT of an operator in this file, or -')

const withFiles = async (remote: RemoteConfig, { apiKeyFile, jwtFile }: WhereOptions): Promise<RemoteConfig> => {
  if (apiKeyFile !== undefined) return { ...remote, apiKey: await readSecret(apiKeyFile, 'the API key') }
  if (jwtFile !== undefined) return { ...remote, operatorJwt: await readSecret(jwtFile, 'the JWT') }
  if (remote.apiKey !== null || remote.operatorJwt !== null) return remote
  throw new CommandFailed(
    `To ask ${remote.url} a credential is needed: MINTMARK_API_KEY, MINTMARK_OPERATOR_JWT, --api-key-file or --jwt-file.`,
    EXIT.usage,
  )
}

export const openApi = async (options: WhereOptions, timing: Timing): Promise<Api> => {
  const isCredentialGiven = options.apiKeyFile !== undefined || options.jwtFile !== undefined
  const remote = readRemoteConfig({ url: options.url, isCredentialGiven })
  if (remote !== null) return connectApi(connectRemote(await withFiles(remote, options)), timing)
  if (isCredentialGiven) throw new CommandFailed('A credential is for a service: name it with --url.', EXIT.usage)
  return connectDirect(await openAdministration(readCommandConfig(), cliOrigin()))
}
