// Long work in pieces: between two of them the event loop turns, and whoever has waited meanwhile is served first.
import { nextTick } from 'node:process';
import { type Monotonic, systemStopwatch } from '../clock.ts';

/** Lets the event loop turn once. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const spentAtOnceMilliseconds = 5;

/** For thousands of small steps: asked after each, it turns the event loop once some milliseconds were spent. */
export function turnsBetweenSteps(): () => Promise<void> {
  let began = systemStopwatch.read();
  return async () => {
    if (systemStopwatch.since(began) < spentAtOnceMilliseconds) return;
    await nextTurn();
    began = systemStopwatch.read();
  };
}

/** There is one event loop in a process, and so one queue before it. */
const waiting: (() => void)[] = [];

/**
 * Turns for everybody else after each piece of heavy work. One turn accepts one connection, and a small request needs
 * some more: with a single turn between two pieces it would wait for many of them. A turn without work takes microseconds.
 */
const turnsBetween = 64;

/**
 * A turn of the event loop with no other piece of heavy work in it, nor in the turns around it: however many ask, one of
 * them goes on after the other, in the order they came. For what takes tens of milliseconds, such as reading a body of a
 * megabyte.
 */
export function yieldAlone(): Promise<void> {
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
    if (turns < turnsBetween) setImmediate(letOthersGoOn);
    else if (waiting.length > 0) letOneGoOn();
    else isLettingGo = false;
  });
}

const lateAfterMilliseconds = 20;
let turnBegan: Monotonic | undefined;

/** Whether the present turn has taken long already, counted from the first call in it. */
function isTurnLate(): boolean {
  if (turnBegan !== undefined) return systemStopwatch.since(turnBegan) > lateAfterMilliseconds;
  turnBegan = systemStopwatch.read();
  setImmediate(() => {
    turnBegan = undefined;
  });
  return false;
}

const late: (() => void)[] = [];
let isLettingLateGoOn = false;

/**
 * For work whose size nobody knows before it is done, such as what a small message inflates to, or what a form holds:
 * undefined while the turn is young, so that nothing is waited for. When others have spent it, a promise of a turn with
 * time left: those that wait go on in the order they came, as many in a turn as have time in it, and one at least.
 */
export function turnIfLate(): Promise<void> | undefined {
  if (!isTurnLate()) return undefined;
  return new Promise((resolve) => {
    late.push(resolve);
    if (isLettingLateGoOn) return;
    isLettingLateGoOn = true;
    setImmediate(letLateGoOn);
  });
}

function letLateGoOn(): void {
  const began = systemStopwatch.read();
  turnBegan = began;
  const next = () => {
    late.shift()?.();
    // Behind all that it does without waiting for anything.
    queueMicrotask(() => nextTick(goOn));
  };
  const goOn = () => {
    if (late.length > 0 && systemStopwatch.since(began) <= lateAfterMilliseconds) return next();
    turnBegan = undefined;
    if (late.length > 0) setImmediate(letLateGoOn);
    else isLettingLateGoOn = false;
  };
  next();
}

/** The same to be awaited. */
export async function ownTurnIfLate(): Promise<void> {
  await turnIfLate();
}

const largeBodyBytes = 64 * 1024;

/** Before a body of so many bytes is read: a turn of its own for a large one, one with time left for any other. */
export function turnForBody(bytes: number): Promise<void> | undefined {
  return bytes > largeBodyBytes ? yieldAlone() : turnIfLate();
}
