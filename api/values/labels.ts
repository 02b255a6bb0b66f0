// Labels: what operators mark agents with, to find them again.
import { isName, sortMembers } from './name.ts'

/** At most so many on one agent. */
export const LABELS_MAX = 32
/** At most so many that one request may ask for together. */
export const LABELS_ASKED_MAX = 8
/** For the document; `isLabelKey` is the rule. */
export const LABEL_KEY_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$'
const KEY = new RegExp(LABEL_KEY_PATTERN)

/** Values have the form of a name. Keys are sorted, so that the same labels are one text. */
export type Labels = Readonly<Record<string, string>>

export type Label = { readonly key: string; readonly value: string }

/** What a change says about labels, as RFC 7396 §2 has it: a value sets a label, null removes it; null alone, all. */
export type LabelsChange = Readonly<Record<string, string | null>> | null

/** What `isLabelKey` accepts, for messages. */
export const LABEL_KEY_FORM =
  '1 to 63 letters, digits, dots, slashes, dashes and underscores that open with a letter or digit'

export const isLabelKey = (text: string): boolean => KEY.test(text)

/** `key=value`; the value may contain an equals sign. */
export const parseLabel = (text: string): Label | undefined => {
  const equals = text.indexOf('=')
  const [key, value] = [text.slice(0, Math.max(equals, 0)), text.slice(equals + 1)]
  return isLabelKey(key) && isName(value) ? { key, value } : undefined
}

/** Each as `key=value`. */
export const formatLabels = (labels: Labels): readonly string[] =>
  Object.entries(labels).map(([key, value]) => `${key}=${value}`)

export const mergeLabels = (before: Labels, change: LabelsChange): Labels => {
  if (change === null) return {}
  const merged = new Map<string, string>(Object.entries(before))
  for (const [key, value] of Object.entries(change)) {
    if (value === null) merged.delete(key)
    else merged.set(key, value)
  }
  return sortMembers(Object.fromEntries(merged))
}
