// Which files `npm run test:process` runs: those whose subject is a process, a signal, a socket or the time that passes.

export const PROCESS_TESTS: readonly string[] = [
  'server/test/process/**/*.test.ts',
  'packages/*/test/process/*.test.ts',
  'console/test/process/*.test.ts',
  'proof/drills/test/process/*.test.ts',
]
