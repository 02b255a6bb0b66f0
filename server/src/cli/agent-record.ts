// An agent as the command line prints it.
import type { Agent } from '../domain/agent.ts'
import { agentRecord } from '../domain/agent-record.ts'
import { printJson, printRecord } from './print.ts'

const forPeople = (agent: Agent) => {
  const { labels, ...record } = agentRecord(agent)
  return { ...record, labels: Object.entries(labels).map(([key, value]) => `${key}=${value}`) }
}

export const printAgent = (agent: Agent, asJson: boolean): void =>
  asJson ? printJson(agentRecord(agent)) : printRecord(forPeople(agent))
