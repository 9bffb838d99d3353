// Splits long work into pieces. Between two pieces the event loop turns, so that waiting requests are served first.
import { nextTick } from 'node:process';
import { type Monotonic, systemStopwatch } from '../clock.ts';

/** Lets the event loop turn once. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const spentAtOnceMilliseconds = 5;

/** For thousands of small steps: call it after each one. It turns the event loop once some milliseconds have passed. */
export function turnsBetweenSteps(): () => Promise<void> {
  let began = systemStopwatch.read();
  return async () => {
    if (systemStopwatch.since(began) < spentAtOnceMilliseconds) return;
    await nextTurn();
    began = systemStopwatch.read();
  };
}

/** One queue, because a process has one event loop. */
const waiting: (() => void)[] = [];

/**
 * Turns for all other work after each piece of heavy work. One turn accepts one connection, and a small request needs
 * several more. With a single turn between two pieces it would wait for many of them. A turn without work takes
 * microseconds.
 */
const turnsBetween = 64;

/**
 * Waits for an event-loop turn without any other heavy work in it or in the neighbouring turns. Callers continue one
 * after the other, in the order of their calls. For work that takes tens of milliseconds, such as reading a body of a
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

/** Whether the current turn has already taken long, measured from the first call in it. */
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
 * For work of unknown size, such as inflating a small message or reading a form. Returns undefined early in a turn, so
 * that the caller does not wait. When other work has used up the turn, it returns a promise of a turn with time left.
 * The waiting callers continue in the order of their calls, at least one in each turn and as many as time allows.
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
    // Runs after everything that the caller does without waiting.
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

/** Like `turnIfLate`, for `await`. */
export async function ownTurnIfLate(): Promise<void> {
  await turnIfLate();
}

const largeBodyBytes = 64 * 1024;

/** Call it before reading a body of this size. A large body gets a separate turn, any other a turn with time left. */
export function turnForBody(bytes: number): Promise<void> | undefined {
  return bytes > largeBodyBytes ? yieldAlone() : turnIfLate();
}
