// Says of a record which set of files declares it, before somebody changes it by hand.

/** Nothing where none does. */
export const ManagedNote = ({ by, deletes = false }: { readonly by: string | null; readonly deletes?: boolean }) =>
  by === null ? null : (
    <p className="note">
      Managed by {by}: the next <code>mintmark apply</code> of its files{' '}
      {deletes ? 'makes it again' : 'undoes this change'}.
    </p>
  )
