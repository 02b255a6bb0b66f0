// The order of a table that moves by itself, kept while somebody points at it: nobody should stop another agent than they meant to.

/** Returns the rows in the order of `known`, new ones last; those that have gone are left out. */
export const keepOrder = <Row>(
  known: readonly string[],
  rows: readonly Row[],
  idOf: (row: Row) => string,
): readonly Row[] => {
  const places = new Map(known.map((id, place) => [id, place]))
  const placeOf = (row: Row): number => places.get(idOf(row)) ?? known.length
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b))
}
