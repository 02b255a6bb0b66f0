// Explains a pasted token: its text goes to the service in a body, and the panel shows the answer.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { tokenInPasted } from '../../../api/values/pasted-token.ts'
import { go } from '../address.ts'
import { explainText } from '../reading/explanations.ts'
import { openAt } from './use-search.ts'

export const useExplain = (onDone: () => void) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (text: string) => explainText(queryClient, tokenInPasted(text)),
    onSuccess: id => {
      onDone()
      go(openAt('tokens', id))
    },
    // What was sent is not kept either.
    gcTime: 0,
  })
}
