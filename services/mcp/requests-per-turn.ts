// A few requests a turn of the event loop: a thousand that arrive together would otherwise be worked off in one turn, in
// which nothing else is heard, neither the supervisor's question whether this worker still lives nor its order to end.

/** The returned function resolves when the caller may go on: at once for the first `perTurn` of a turn, in order after. */
export function admitPerTurn(perTurn: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let left = perTurn;
  const nextTurn = () => {
    left = perTurn;
    for (const goOn of waiting.splice(0, perTurn)) letThrough(goOn);
  };
  const letThrough = (goOn: () => void) => {
    if (left === perTurn) setImmediate(nextTurn);
    left -= 1;
    goOn();
  };
  return () =>
    new Promise((resolve) => {
      if (left > 0) letThrough(resolve);
      else waiting.push(resolve);
    });
}
