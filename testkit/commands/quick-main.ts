// The program, from its sources, with waits of a test.
import './quick-waits.ts'

await import('../../server/src/main.ts')
