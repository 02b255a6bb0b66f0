// Dark or light: as the system has it, unless the reader chose.
import { keepChoice } from '../reading/kept.ts'

export const THEMES = ['system', 'light', 'dark'] as const

export type Theme = (typeof THEMES)[number]

const kept = keepChoice<Theme>('mintmark-theme', THEMES)

const show = (): void => {
  document.documentElement.dataset['theme'] = kept.read()
}

export const setTheme = (chosen: Theme): void => {
  kept.set(chosen)
  show()
}

export const useTheme = kept.use

show()
