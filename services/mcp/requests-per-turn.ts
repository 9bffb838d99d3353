// Limits the requests per turn of the event loop. A thousand requests that arrive together would otherwise be handled
// in one turn. During that turn the worker reads neither the supervisor's pings nor its order to end.

/**
 * The returned function resolves when the caller may continue: at once for the first `perTurn` of a turn, in order
 * after that.
 */
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
