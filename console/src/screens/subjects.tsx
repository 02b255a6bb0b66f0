// A subject of a trusted issuer, such as a person: whether it is blocked, and every token that acts for it.
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { ISSUER_SUBJECT_FORM, parseIssuerSubject } from '../../../api/values/subject.ts'
import { changeQuery, useAddress } from '../address.ts'
import { wrongIn } from '../lists/filter-forms.ts'
import { textIn } from '../parts/form-fields.tsx'
import { Pause } from '../parts/pause.tsx'
import { SUBJECT } from '../parts/subject-address.ts'
import { SubjectState } from '../subjects/subject-state.tsx'
import { SubjectTokens } from '../subjects/subject-tokens.tsx'
import { ENDED_TOKENS, LIVE_TOKENS } from '../tokens/token-lists.ts'

/** The field holds what the address names; what is wrong in it is said, and is not put there. */
const SubjectForm = ({ given }: { readonly given: string }) => {
  const field = useRef<HTMLInputElement>(null)
  const [wrong, setWrong] = useState<string>()
  const wrongId = useId()
  useEffect(() => {
    if (field.current !== null) field.current.value = given
    setWrong(given === '' ? undefined : wrongIn('subject', given))
  }, [given])
  const show = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const text = textIn(new FormData(event.currentTarget), SUBJECT)
    const fault = wrongIn('subject', text)
    setWrong(fault)
    if (fault === undefined) changeQuery(SUBJECT, text)
  }
  return (
    <form role="search" aria-label="Subject of an issuer" className="add-filter" onSubmit={show}>
      <input
        ref={field}
        type="search"
        name={SUBJECT}
        aria-label="Subject"
        placeholder={ISSUER_SUBJECT_FORM}
        aria-invalid={wrong !== undefined}
        aria-describedby={wrong === undefined ? undefined : wrongId}
        required
        autoComplete="off"
        spellCheck={false}
        className="wide"
        onChange={() => setWrong(undefined)}
      />
      <button type="submit">Show</button>
      {wrong !== undefined && (
        <span id={wrongId} role="alert" className="wrong">
          {wrong}
        </span>
      )}
    </form>
  )
}

export const Subjects = () => {
  const given = useAddress().query.get(SUBJECT) ?? ''
  const subject = parseIssuerSubject(given)
  return (
    <>
      <div className="title">
        <h1>Subjects</h1>
        {subject !== undefined && (
          <div className="acts">
            <Pause />
          </div>
        )}
      </div>
      <p className="quiet">
        For whom agents act: the subjects of trusted issuers, as tokens and the audit log name them.
      </p>
      <SubjectForm given={given} />
      {subject !== undefined && (
        <>
          <SubjectState key={given} subject={subject} />
          <SubjectTokens key={`live ${given}`} {...LIVE_TOKENS} title="Live tokens" subject={given} />
          <SubjectTokens key={`ended ${given}`} {...ENDED_TOKENS} title="Ended tokens" subject={given} />
        </>
      )}
    </>
  )
}
