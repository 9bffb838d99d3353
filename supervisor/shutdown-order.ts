// Ends the children of a stack in the order of their specifications: those of one step together, the next step when all
// of them have ended.
import type { Child } from './supervise.ts';

/** A worker gives its requests 10 s (SUP-09) and then has to close its store; after this it is killed. */
const graceMilliseconds = 12_000;

export async function drainInOrder(children: readonly Child[]): Promise<void> {
  const steps = [...new Set(children.map(({ spec }) => spec.stops))].sort((a, b) => a - b);
  for (const step of steps) {
    const together = children.filter(({ spec }) => spec.stops === step);
    await Promise.all(together.map((child) => child.drain(graceMilliseconds)));
  }
}
