// Checks the arguments of an instance's methods. JavaScript has no compiler to report mistakes, and every error of this
// package is an IdpError with a kind (API-28).
import { durationSeconds } from './duration.ts';
import { IdpError } from './errors.ts';
import type { Moment } from './types.ts';

/** @throws IdpError invalid_option */
export function objectGiven<Value extends object>(method: string, value: Value, what = 'an object'): Value {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new IdpError('invalid_option', `${method} takes ${what}`);
}

/**
 * Rejects unknown options, because the caller expects an effect from each option that it passes. `others` are the
 * unknown ones.
 * @throws IdpError invalid_option
 */
export function noOther(method: string, others: object): void {
  const [stranger] = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : name));
  if (stranger !== undefined) throw new IdpError('invalid_option', `${stranger} is no option of ${method}`);
}

/** @throws IdpError invalid_option */
export function textGiven(member: string, value: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new IdpError('invalid_option', `${member} takes a text`);
}

/** @throws IdpError invalid_option */
export function momentText(moment: Moment): string {
  if (typeof moment === 'string') return moment;
  try {
    return moment.toISOString();
  } catch {
    throw new IdpError('invalid_option', 'a moment is a Date that is valid, or an RFC 3339 text');
  }
}

/** @throws IdpError invalid_option */
export function wholeSeconds(member: string, duration: string | number): number {
  const seconds = durationSeconds(member, duration);
  if (Number.isInteger(seconds) && seconds !== 0) return seconds;
  throw new IdpError('invalid_option', `${member} takes whole seconds, and not 0`);
}
