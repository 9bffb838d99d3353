// Why a start failed, as a stable token. The error that is thrown carries it, a worker reports it with its message, and
// the start API rejects with it as `kind` (API-28).

export const startRefusals = [
  'address_in_use',
  'address_unusable',
  /** SQLite is not available. */
  'binding_missing',
  'store_refused',
  /** Any other cause. */
  'start_failed',
] as const;

export type StartRefusal = (typeof startRefusals)[number];

/** Implemented by errors that have their own token. */
export interface RefusesStart {
  readonly startRefusal: StartRefusal;
}

export function isStartRefusal(value: unknown): value is StartRefusal {
  return startRefusals.some((word) => word === value);
}

export function startRefusalOf(error: unknown): StartRefusal {
  const word = error instanceof Error && 'startRefusal' in error ? error.startRefusal : undefined;
  return isStartRefusal(word) ? word : 'start_failed';
}

/** Errors that end when a person corrects a file. A stack that was ready before waits for that. */
interface Mendable {
  readonly isMendable: boolean;
}

export function isMendable(error: unknown): error is Error & Mendable {
  return error instanceof Error && 'isMendable' in error && error.isMendable === true;
}

/** Why a stack cannot continue: one line for people, and the token for programs. */
export interface StackFailure {
  readonly reason: string;
  readonly refusal: StartRefusal;
}
