// A sentence of the documentation: what stands between backticks is code.

export const Meaning = ({ text }: { readonly text: string }) =>
  text.split('`').map((part, n) => (n % 2 === 1 ? <code key={`${n} ${part}`}>{part}</code> : part))
