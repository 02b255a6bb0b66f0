// Deletes an agent for good: with its name typed, and a note for those who read the audit log.
import { ACCESS } from '../../../api/values/access.ts'
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import { leave } from '../parts/panel.tsx'
import { ActDialog } from '../acts/act-dialog.tsx'
import { ManagedNote } from '../acts/managed-note.tsx'
import { NoteField, noteIn, noteOptions } from '../acts/note-field.tsx'
import { EndedByRequest } from '../acts/what-ended.tsx'
import { administration, withRequestId } from '../reading/service.ts'

export const DeleteAgent = ({
  agent: { agent_id: id, name, managed_by: managedBy },
}: {
  readonly agent: AgentRecord
}) => (
  <ActDialog
    asks={ACCESS.writeAgents}
    isDangerous
    trigger="Delete"
    triggerLabel={`Delete ${name}`}
    title={`Delete ${name}?`}
    about="It is gone for good, its credentials too. All its tokens end now, with everything that was got for them; the history keeps them."
    submit="Delete it"
    typed={name}
    fields={() => (
      <>
        <ManagedNote by={managedBy} deletes />
        <NoteField />
      </>
    )}
    commandOf={form => ['mintmark', 'agent', 'delete', id, ...noteOptions(form)]}
    agentId={id}
    count={async signal => (await administration.deleteAgent({ path: { id }, query: { dry_run: true }, signal })).ends}
    act={form => withRequestId(by => by.deleteAgent({ path: { id }, query: noteIn(form) }))}
    done={({ requestId }, ends) => ({
      title: `${name} is deleted`,
      body: <EndedByRequest requestId={requestId} ends={ends} agentId={id} reasons={['agent_deleted']} />,
    })}
    onDone={() => leave(id)}
  />
)
