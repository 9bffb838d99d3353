// Long work in pieces: between two of them the event loop turns, and whoever has waited meanwhile is served first.
import { type Monotonic, systemStopwatch } from './clock.ts';

/** Lets the event loop turn once. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** There is one event loop in a process, and so one queue before it. */
const waiting: (() => void)[] = [];

/**
 * A turn of the event loop with no other piece of heavy work in it: however many ask, in each turn one of them goes on, in
 * the order they came. For what takes tens of milliseconds, such as reading a body of a megabyte.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(letOneGoOn);
  });
}

function letOneGoOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(letOneGoOn);
}

const lateAfterMilliseconds = 20;
let turnBegan: Monotonic | undefined;

/**
 * For work whose size nobody knows before it is done, such as what a small message inflates to: at once while the turn is
 * young, in a turn of its own when others have spent it already.
 */
export async function ownTurnIfLate(): Promise<void> {
  if (turnBegan === undefined) {
    turnBegan = systemStopwatch.read();
    setImmediate(() => {
      turnBegan = undefined;
    });
  } else if (systemStopwatch.since(turnBegan) > lateAfterMilliseconds) await ownTurn();
}
