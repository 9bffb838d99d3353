/** Text between backticks is a name or a value. */
export function WithCode({ text }: { readonly text: string }) {
  const parts = text.split(/`([^`]+)`/);
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={String(index)}>{part}</code> : part))}</>;
}
