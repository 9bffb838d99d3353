// Reads something that other processes change, once for everything that happens in one turn of the event loop. Requests
// that arrive together were sent before the read, so they cannot observe the difference. Later requests cause a new
// read.

/** `look` runs at the first call of a turn. The other calls of that turn get the same result. */
export function oncePerTick<Value>(compute: () => Value): () => Value {
  let cached: { readonly answer: Value } | undefined;
  const clear = () => {
    cached = undefined;
  };
  return () => {
    if (cached !== undefined) return cached.answer;
    cached = { answer: compute() };
    setImmediate(clear);
    return cached.answer;
  };
}
