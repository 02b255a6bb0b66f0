// Whether what is shown follows the service: one choice for every screen.
import { keepChoice } from './kept.ts'

export const liveChoice = keepChoice('mintmark-live', ['live', 'paused'])
