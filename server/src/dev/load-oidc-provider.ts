// Loads oidc-provider, when it is needed and without the one warning that says nothing here.

type Module = typeof import('oidc-provider')

/**
 * At import oidc-provider warns on every Node that is not yet in long-term support. The runtime is chosen by this
 * project and tested with it, so that this warning, and no other, is dropped.
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
