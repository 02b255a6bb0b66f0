// How this agent gets a token, by the credential that it has, to copy.
import { useState } from 'react'
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import { baseUrl } from '../reading/service.ts'
import { useCredentials } from './credentials.tsx'
import { scopeToAsk, snippetsFor } from './snippet-texts.ts'

export const Snippets = ({ agent }: { readonly agent: AgentRecord }) => {
  const [chosen, setChosen] = useState('curl')
  const { data } = useCredentials(agent.agent_id)
  if (data === undefined) return null
  const snippets = snippetsFor(data.data)
  const [first = ''] = Object.keys(snippets)
  const language = chosen in snippets ? chosen : first
  const values = { baseUrl, clientId: agent.client_id, scope: scopeToAsk(agent) }
  return (
    <section>
      <h3>Get a token</h3>
      <div className="acts" role="group" aria-label="Language">
        {Object.keys(snippets).map(each => (
          <button key={each} type="button" aria-pressed={each === language} onClick={() => setChosen(each)}>
            {each}
          </button>
        ))}
      </div>
      <pre tabIndex={0}>{snippets[language]?.(values)}</pre>
    </section>
  )
}
