// Stops a trusted issuer, enables it again, and deletes it for good.
import { ACCESS } from '../../../api/values/access.ts'
import { ActDialog } from '../acts/act-dialog.tsx'
import { NoteField, noteIn, noteOptions } from '../acts/note-field.tsx'
import { turnedOff, turnedOn } from '../acts/switched.tsx'
import { TheAct } from '../acts/what-ended.tsx'
import { leave } from '../parts/panel.tsx'
import { administration } from '../reading/service.ts'

type IssuerActProps = { readonly alias: string }

export const DisableIssuer = ({ alias }: IssuerActProps) => (
  <ActDialog
    asks={ACCESS.stopIssuers}
    isDangerous
    trigger="Stop"
    triggerLabel={`Stop ${alias}`}
    title={`Stop ${alias}?`}
    about="None of its JWTs is taken from now on, until an administrator enables it again. All tokens that act for its subjects end."
    submit="Stop it"
    count={async signal =>
      (await administration.disableIssuer({ path: { alias }, body: { dry_run: true }, signal })).ends
    }
    fields={() => <NoteField />}
    commandOf={form => ['mintmark', 'issuer', 'disable', alias, ...noteOptions(form)]}
    act={form => administration.disableIssuer({ path: { alias }, body: noteIn(form) })}
    done={({ changed, disabled_at: since }, ends) => turnedOff({ name: alias, state: 'stopped', changed }, since, ends)}
  />
)

export const EnableIssuer = ({ alias }: IssuerActProps) => (
  <ActDialog
    asks={ACCESS.writeIssuers}
    trigger="Enable"
    triggerLabel={`Enable ${alias}`}
    title={`Enable ${alias}?`}
    about="Its JWTs are taken again."
    submit="Enable it"
    fields={() => <NoteField />}
    commandOf={form => ['mintmark', 'issuer', 'enable', alias, ...noteOptions(form)]}
    act={form => administration.enableIssuer({ path: { alias }, body: noteIn(form) })}
    done={({ changed }) => turnedOn({ name: alias, state: 'enabled', changed }, alias)}
  />
)

export const DeleteIssuer = ({ alias }: IssuerActProps) => (
  <ActDialog
    asks={ACCESS.writeIssuers}
    isDangerous
    trigger="Delete"
    triggerLabel={`Delete ${alias}`}
    title={`Delete ${alias}?`}
    about="It is trusted no more, for good, and its alias is never given again. Its blocked subjects are forgotten. All tokens that act for its subjects end."
    submit="Delete it"
    typed={alias}
    count={async signal =>
      (await administration.deleteIssuer({ path: { alias }, query: { dry_run: true }, signal })).ends
    }
    fields={() => <NoteField />}
    commandOf={form => ['mintmark', 'issuer', 'delete', alias, ...noteOptions(form)]}
    act={form => administration.deleteIssuer({ path: { alias }, query: noteIn(form) })}
    done={() => ({ title: `${alias} is deleted`, body: <TheAct subject={alias} /> })}
    onDone={() => leave(alias)}
  />
)
