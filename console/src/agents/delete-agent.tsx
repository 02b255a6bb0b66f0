// Deletes an agent for good: with its name typed, and a note for those who read the audit log.
import { ACCESS } from '../../../api/values/access.ts'
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import { leave } from '../parts/panel.tsx'
import { ActDialog } from '../acts/act-dialog.tsx'
import { NoteField, noteIn, noteOptions } from '../acts/note-field.tsx'
import { WhatEnded } from '../acts/what-ended.tsx'
import { serviceNow } from '../reading/service-clock.ts'
import { administration } from '../reading/service.ts'
import { auditOf } from '../tokens/act-of-end.ts'

export const DeleteAgent = ({ agent: { agent_id: id, name } }: { readonly agent: AgentRecord }) => (
  <ActDialog
    asks={ACCESS.writeAgents}
    isDangerous
    trigger="Delete"
    triggerLabel={`Delete ${name}`}
    title={`Delete ${name}?`}
    about="It is gone for good, its credentials too. All its tokens end now, with everything that was got for them; the history keeps them."
    submit="Delete it"
    typed={name}
    fields={() => <NoteField />}
    commandOf={form => ['mintmark', 'agent', 'delete', id, ...noteOptions(form)]}
    agentId={id}
    count={async signal => (await administration.deleteAgent({ path: { id }, query: { dry_run: true }, signal })).ends}
    act={form => administration.deleteAgent({ path: { id }, query: noteIn(form) })}
    done={(_, ends) => ({
      title: `${name} is deleted`,
      body: (
        <WhatEnded
          since={new Date(serviceNow()).toISOString()}
          ends={ends}
          history={{ agent_id: id }}
          audit={auditOf(id)}
        />
      ),
    })}
    onDone={() => leave(id)}
  />
)
