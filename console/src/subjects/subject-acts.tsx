// Blocks a subject of a trusted issuer, and unblocks it again.
import { ACCESS } from '../../../api/values/access.ts'
import { formatIssuerSubject, type IssuerSubject } from '../../../api/values/subject.ts'
import { ActDialog } from '../acts/act-dialog.tsx'
import { NoteField, noteIn, noteOptions } from '../acts/note-field.tsx'
import { turnedOff, turnedOn } from '../acts/switched.tsx'
import { administration } from '../reading/service.ts'

type SubjectActProps = { readonly subject: IssuerSubject }

export const BlockSubject = ({ subject }: SubjectActProps) => {
  const name = formatIssuerSubject(subject)
  const path = { alias: subject.issuer }
  const { sub } = subject
  return (
    <ActDialog
      asks={ACCESS.blockSubjects}
      look="danger"
      isDangerous
      trigger="Block"
      triggerLabel={`Block ${name}`}
      title={`Block ${name}?`}
      about="Nothing is issued for this subject until an administrator unblocks it. All tokens that act for it end now, whichever agents have them; they do not come back."
      submit="Block it"
      count={async signal => (await administration.blockSubject({ path, body: { sub, dry_run: true }, signal })).ends}
      fields={() => <NoteField />}
      commandOf={form => ['mintmark', 'subject', 'block', name, ...noteOptions(form)]}
      act={form => administration.blockSubject({ path, body: { sub, ...noteIn(form) } })}
      done={({ changed, blocked_at: since }, ends) => turnedOff({ name, state: 'blocked', changed }, since, ends)}
    />
  )
}

export const UnblockSubject = ({ subject }: SubjectActProps) => {
  const name = formatIssuerSubject(subject)
  return (
    <ActDialog
      asks={ACCESS.unblockSubjects}
      trigger="Unblock"
      triggerLabel={`Unblock ${name}`}
      title={`Unblock ${name}?`}
      about="Tokens are issued for it again. Those that ended do not come back."
      submit="Unblock it"
      fields={() => <NoteField />}
      commandOf={form => ['mintmark', 'subject', 'unblock', name, ...noteOptions(form)]}
      act={form =>
        administration.unblockSubject({ path: { alias: subject.issuer }, body: { sub: subject.sub, ...noteIn(form) } })
      }
      done={({ changed }) => turnedOn({ name, state: 'unblocked', changed }, name)}
    />
  )
}
