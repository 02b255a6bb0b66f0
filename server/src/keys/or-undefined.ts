// What a library makes, which throws for nothing but what it cannot make something of.

/** Undefined where it throws. */
export const orUndefined = <T>(make: () => T): T | undefined => {
  try {
    return make()
  } catch {
    return undefined
  }
}
