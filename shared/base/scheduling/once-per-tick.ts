// Reads something that other processes change, once for everything that happens in one turn of the event loop. Requests
// that arrive together were sent before the read, so they cannot observe the difference. Later requests cause a new
// read.

/** `look` runs at the first call of a turn. The other calls of that turn get the same result. */
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
