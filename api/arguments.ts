// What the methods of an instance are given, checked: a program in JavaScript has no compiler that would say what is wrong,
// and every error of this package is an IdpError with a kind (API-28).
import { unknownName } from '#shared/base/unknown-name.ts';
import { durationSeconds } from './duration.ts';
import { IdpError } from './errors.ts';
import type { Moment } from './types.ts';

/** @throws IdpError invalid_option */
export function objectGiven<Value extends object>(method: string, value: Value, what = 'an object'): Value {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new IdpError('invalid_option', `The argument of ${method}() must be ${what}.`);
}

/**
 * `others`: what is left after all known options were taken. An ignored option would mislead its caller.
 * @throws IdpError invalid_option
 */
export function noOther(method: string, others: object, known: readonly string[]): void {
  const [unknown] = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : name));
  if (unknown !== undefined) {
    throw new IdpError('invalid_option', unknownName('option', unknown, known, `${method}()`));
  }
}

/** @throws IdpError invalid_option */
export function textGiven(member: string, value: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new IdpError('invalid_option', `${member} must be a non-empty string.`);
}

/** @throws IdpError invalid_option */
export function momentText(moment: Moment): string {
  if (typeof moment === 'string') return moment;
  try {
    return moment.toISOString();
  } catch {
    throw new IdpError('invalid_option', 'An instant must be a valid Date or an RFC 3339 string.');
  }
}

/** @throws IdpError invalid_option */
export function wholeSeconds(member: string, duration: string | number): number {
  const seconds = durationSeconds(member, duration);
  if (Number.isInteger(seconds) && seconds !== 0) return seconds;
  throw new IdpError('invalid_option', `${member} must be whole seconds, and not 0.`);
}
