// Why a start was refused, as one word that keeps its meaning: the error says it where it is thrown, a worker reports it with
// its sentence, and the start API rejects with it as `kind` (API-28).

export const startRefusals = [
  'address_in_use',
  'address_unusable',
  /** No SQLite at all. */
  'binding_missing',
  'store_refused',
  /** Whatever else is in the way. */
  'start_failed',
] as const;

export type StartRefusal = (typeof startRefusals)[number];

/** Of errors that have a word of their own. */
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

/** Of errors that end when a person mends a file: a stack that was ready once waits for that. */
interface Mendable {
  readonly isMendable: boolean;
}

export function isMendable(error: unknown): error is Error & Mendable {
  return error instanceof Error && 'isMendable' in error && error.isMendable === true;
}

/** Why a stack cannot go on: in one line for a person, and as the word that programs go by. */
export interface StackFailure {
  readonly reason: string;
  readonly refusal: StartRefusal;
}
