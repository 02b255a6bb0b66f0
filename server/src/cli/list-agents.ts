// mintmark agent list
import { type Command, Option } from 'commander'
import { defineAdminCommand } from './administer.ts'
import { gatherLabels, type Label } from './agent-options.ts'
import { showAll } from './read-list.ts'

type Options = {
  readonly disabled?: boolean
  readonly enabled?: boolean
  readonly owner?: string
  readonly label?: readonly Label[]
  readonly namePrefix?: string
  readonly search?: string
}

const queryOf = ({ disabled, enabled, owner, label = [], namePrefix, search }: Options) => ({
  disabled: enabled === true ? false : disabled,
  owner,
  label: label.map(({ key, value }) => `${key}=${value}`),
  name_prefix: namePrefix,
  q: search,
})

export const addListAgents = (agent: Command): void => {
  const command = agent
    .command('list')
    .description('list agents by name, all of them unless an option asks for less')
    .addOption(new Option('--disabled', 'only the disabled ones').conflicts('enabled'))
    .option('--enabled', 'only the enabled ones')
    .option('--owner <name>', 'only those of this owner')
    .option('--label <key=value>', 'only those with this label (repeatable)', gatherLabels)
    .option('--name-prefix <text>', 'only those whose names open with this text')
    .option('--search <text>', 'the one with this id, then those whose names open with this text')
  defineAdminCommand<Options>(command, {
    json: 'print {"data":[…]}, each agent as `agent show --json` prints it',
    examples: ['mintmark agent list', 'mintmark agent list --label team=data --enabled'],
    run: ({ api, options }) => {
      const columns = ['agent_id', 'name', 'owner', 'scope', 'disabled_at', 'suspended_at']
      return showAll(api, { path: '/api/v1/agents', query: queryOf(options), columns })
    },
  })
}
