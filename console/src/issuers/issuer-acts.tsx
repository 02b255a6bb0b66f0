// Stops a trusted issuer, enables it again, and deletes it for good.
import { ACCESS } from '../../../api/values/access.ts'
import { ActDialog } from '../acts/act-dialog.tsx'
import { NoteField, noteIn, noteOptions } from '../acts/note-field.tsx'
import { wasUnheard } from '../acts/open-act.ts'
import { NothingChanged, TheAct } from '../acts/what-ended.tsx'
import { leave } from '../parts/panel.tsx'
import { administration } from '../reading/service.ts'

type IssuerActProps = { readonly alias: string }

const Switched = ({ alias, isChanged }: IssuerActProps & { readonly isChanged: boolean }) => (
  <>
    {!isChanged && <NothingChanged />}
    <TheAct subject={alias} />
  </>
)

export const DisableIssuer = ({ alias }: IssuerActProps) => (
  <ActDialog
    asks={ACCESS.stopIssuers}
    isDangerous
    trigger="Stop"
    triggerLabel={`Stop ${alias}`}
    title={`Stop ${alias}?`}
    about="None of its JWTs is taken from now on, until an administrator enables it again."
    submit="Stop it"
    count={async signal =>
      (await administration.disableIssuer({ path: { alias }, body: { dry_run: true }, signal })).ends
    }
    fields={() => <NoteField />}
    commandOf={form => ['mintmark', 'issuer', 'disable', alias, ...noteOptions(form)]}
    act={form => administration.disableIssuer({ path: { alias }, body: noteIn(form) })}
    done={({ changed }) => ({
      title: changed || wasUnheard() ? `${alias} is stopped` : `${alias} was stopped before`,
      body: <Switched alias={alias} isChanged={changed} />,
    })}
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
    done={({ changed }) => ({
      title: changed || wasUnheard() ? `${alias} is enabled` : `${alias} was enabled before`,
      body: <Switched alias={alias} isChanged={changed} />,
    })}
  />
)

export const DeleteIssuer = ({ alias }: IssuerActProps) => (
  <ActDialog
    asks={ACCESS.writeIssuers}
    isDangerous
    trigger="Delete"
    triggerLabel={`Delete ${alias}`}
    title={`Delete ${alias}?`}
    about="It is trusted no more, for good, and its alias is never given again."
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
