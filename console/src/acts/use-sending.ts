// The sending of an act from its form: once however often it is clicked, with its note kept until it is done.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef } from 'react'
import { ApiRefused } from '../../../packages/client/src/administration/api-errors.ts'
import { textIn } from '../parts/form-fields.tsx'
import { refresh } from '../reading/refresh.ts'
import { keepDraft } from './draft.ts'
import { type Outcome, setOutcome, useHold } from './open-act.ts'

type Sending<Made> = {
  /** The name of the act, by which its note is kept. */
  readonly name: string
  readonly act: (form: FormData) => Promise<Made>
  readonly onMade: (made: Made) => void
  /** How far the act is with what was made; its note is kept until it is done. */
  readonly outcomeOfMade?: (made: Made) => Outcome
  /** How far the act is after a fault. */
  readonly outcomeOf?: (fault: unknown) => Outcome
}

const afterFault = (fault: unknown): Outcome => (fault instanceof ApiRefused ? 'asked' : 'unknown')

export const useSending = <Made>(asked: Sending<Made>) => {
  const { name, act, onMade, outcomeOfMade = () => 'done', outcomeOf = afterFault } = asked
  const queryClient = useQueryClient()
  const isSent = useRef(false)
  const sending = useMutation({
    mutationFn: act,
    onMutate: () => setOutcome('sending'),
    onSuccess: made => {
      const outcome = outcomeOfMade(made)
      setOutcome(outcome)
      if (outcome === 'done') keepDraft(name, '')
      onMade(made)
    },
    onError: fault => setOutcome(outcomeOf(fault)),
    onSettled: () => {
      isSent.current = false
      refresh(queryClient)
    },
    // It may hold a secret.
    gcTime: 0,
  })
  useHold(sending.isPending)
  const sendForm = (form: FormData): void => {
    // A second click may come before the page shows the first.
    if (isSent.current || sending.isPending) return
    isSent.current = true
    sending.mutate(form)
  }
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    sendForm(new FormData(event.currentTarget))
  }
  const keepNote = (form: FormData): void => keepDraft(name, textIn(form, 'note'))
  return { sending, send, sendForm, keepNote }
}
