// mintmark agent
import type { Command } from 'commander'
import { addCreateAgent } from './create-agent.ts'
import { addDisableAgent } from './disable-agent.ts'
import { addEnableAgent } from './enable-agent.ts'
import { addListAgents } from './list-agents.ts'
import { addShowAgent } from './show-agent.ts'

export const addAgent = (program: Command): void => {
  const agent = program.command('agent').description('the agents that may ask for tokens')
  for (const addTo of [addCreateAgent, addListAgents, addShowAgent, addDisableAgent, addEnableAgent]) addTo(agent)
}
