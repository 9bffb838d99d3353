// A look at something that other processes change, taken once for all that happens in one turn of the event loop. What
// arrives together was sent before the look, so nobody can tell the difference; what arrives later looks again.

/** `look` runs at the first call of a turn; the other calls of that turn get its answer. */
export function oncePerTick<Seen>(look: () => Seen): () => Seen {
  let seen: { readonly answer: Seen } | undefined;
  const forget = () => {
    seen = undefined;
  };
  return () => {
    if (seen !== undefined) return seen.answer;
    seen = { answer: look() };
    setImmediate(forget);
    return seen.answer;
  };
}
