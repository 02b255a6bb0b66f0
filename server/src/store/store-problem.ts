// What keeps a store from being used.

/** A store that cannot be used, with what to do about it, for a person. */
export class StoreProblem extends Error {
  override readonly name = 'StoreProblem'
}
