// Loads oidc-provider when it is needed, without one irrelevant warning.

type Module = typeof import('oidc-provider')

/**
 * At import oidc-provider warns about every Node version that is not in long-term support. This project chooses and tests
 * its runtime, so this warning, and no other, is dropped.
 */
export const loadOidcProvider = async (): Promise<Module> => {
  const { warn } = console
  console.warn = (...words: unknown[]) => {
    if (!String(words[0]).includes('Unsupported runtime')) warn(...words)
  }
  try {
    return await import('oidc-provider')
  } finally {
    console.warn = warn
  }
}
