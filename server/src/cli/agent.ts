// mintmark agent
import type { Command } from 'commander'
import { addChangeAgent } from './change-agent.ts'
import { addCreateAgent } from './create-agent.ts'
import { addDeleteAgent } from './delete-agent.ts'
import { addDisableAgent } from './disable-agent.ts'
import { addEnableAgent } from './enable-agent.ts'
import { addListAgents } from './list-agents.ts'
import { addShowAgent } from './show-agent.ts'

const VERBS = [
  addCreateAgent,
  addListAgents,
  addShowAgent,
  addChangeAgent,
  addDisableAgent,
  addEnableAgent,
  addDeleteAgent,
]

export const addAgent = (program: Command): void => {
  const agent = program.command('agent').description('the agents that may ask for tokens')
  for (const addTo of VERBS) addTo(agent)
}
