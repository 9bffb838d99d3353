// Ends the children of a stack in the order of their specifications. Those of one step end together. The next step
// begins when all of them have ended.
import type { Child } from './supervise.ts';

/** A worker gives its requests 10 s (SUP-09) and then must close its store. After this time it is killed. */
const graceMilliseconds = 12_000;

export async function drainInOrder(children: readonly Child[]): Promise<void> {
  const steps = [...new Set(children.map(({ spec }) => spec.stops))].sort((a, b) => a - b);
  for (const step of steps) {
    const together = children.filter(({ spec }) => spec.stops === step);
    await Promise.all(together.map((child) => child.drain(graceMilliseconds)));
  }
}
