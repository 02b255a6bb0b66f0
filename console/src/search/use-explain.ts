// Explains a pasted token: its text goes to the service in a body, and the panel shows the answer.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { go } from '../address.ts'
import { explainText } from '../reading/explanations.ts'
import { openAt } from './use-search.ts'

export const useExplain = (onDone: () => void) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (token: string) => explainText(queryClient, token),
    onSuccess: id => {
      onDone()
      go(openAt('tokens', id))
    },
    // What was sent is not kept either.
    gcTime: 0,
  })
}
