// Lets the event loop turn once: whoever has waited meanwhile gets its turn before long work goes on.
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
