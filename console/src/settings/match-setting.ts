// Which settings a search finds.
import type { ListSettingsAnswer } from '../../../packages/client/src/index.ts'

type Setting = ListSettingsAnswer['data'][number]

const UNCHANGED: readonly Setting['source'][] = ['default', 'not_read']

/** Every word stands in its name, its value or its meaning; `isChanged`: and somebody set it. */
export const isMatch = ({ name, value, meaning, source }: Setting, text: string, isChanged: boolean): boolean => {
  if (isChanged && UNCHANGED.includes(source)) return false
  const said = `${name} ${value ?? ''} ${meaning}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every(word => said.includes(word))
}
