// Long work in pieces: between two of them the event loop turns, and whoever has waited meanwhile is served first.
import { type Monotonic, systemStopwatch } from './clock.ts';

/** Lets the event loop turn once. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** There is one event loop in a process, and so one queue before it. */
const waiting: (() => void)[] = [];

/**
 * Turns for everybody else after each piece of heavy work. One turn accepts one connection, and a small request needs
 * some more: with a single turn between two pieces it would wait for many of them. A turn without work takes microseconds.
 */
const turnsForOthers = 64;

/**
 * A turn of the event loop with no other piece of heavy work in it, nor in the turns around it: however many ask, one of
 * them goes on after the other, in the order they came. For what takes tens of milliseconds, such as reading a body of a
 * megabyte.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!isLettingGo) {
      isLettingGo = true;
      setImmediate(letOneGoOn);
    }
  });
}

let isLettingGo = false;

function letOneGoOn(): void {
  waiting.shift()?.();
  let turns = 0;
  setImmediate(function letOthersGoOn() {
    turns += 1;
    if (turns < turnsForOthers) setImmediate(letOthersGoOn);
    else if (waiting.length > 0) letOneGoOn();
    else isLettingGo = false;
  });
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
