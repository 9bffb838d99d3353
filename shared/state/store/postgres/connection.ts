// One connection to a PostgreSQL server as the rest of the store sees it. The driver stands behind it alone (driver.ts), so that a test
// can be a server that breaks at a chosen moment.

export type Value = string | number | Uint8Array | null;
export type Bindings = Readonly<Record<string, Value>>;

export interface Answer {
  readonly rows: readonly unknown[];
  /** Rows that a command changed, or a query answered. */
  readonly count: number;
}

export interface PreparedText {
  /** With `$1`, `$2`, … */
  readonly text: string;
  /** The server keeps what it parsed under this name; undefined: asked too seldom. */
  readonly name: string | undefined;
  readonly values: readonly Value[];
}

export interface Connection {
  /** Names the server it leads to, among those of the URL. */
  readonly server: string;
  /**
   * Statements with parameters, one at least, in one message and one round trip; in one transaction where none is under way.
   * Throws PostgreSQL's own error, which `sqlState` reads, and then none after the one that failed was done.
   */
  send(asked: readonly PreparedText[]): Promise<readonly Answer[]>;
  /** Any number of statements without parameters, in one message; answers those of each. */
  say(text: string): Promise<readonly Answer[]>;
  /** False once the server or the network ended it. */
  isOpen(): boolean;
  /** Ends it at once, whatever is under way in it; what waits for an answer fails. */
  drop(): void;
  /** Says goodbye. */
  close(): Promise<void>;
}

/** Makes a connection that is ready for statements: schema, timeouts and name are set. */
export type Connect = (timeoutMilliseconds: number) => Promise<Connection>;

/** PostgreSQL's five characters; undefined: the error is none of its. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  // Each code of PostgreSQL has a digit; EPIPE, as Node.js calls one of its own, has none.
  return typeof error.code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

/** Serialization failure and deadlock: the same thing again may succeed, and nothing of it was done (PGS-16). */
export function isCollision(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/**
 * The connection is gone or the server is not one to write to (any more): another connection may help (PGS-32, PGS-35). An
 * error without a state comes from the network or the driver.
 */
export function isBroken(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) return isNetworkError(error);
  return state.startsWith('08') || state.startsWith('57P') || state === readOnly || state === '25P03';
}

const readOnly = '25006';

/** The server takes no writes, and said so before there was anything to commit. */
export function isReadOnlyRefusal(error: unknown): boolean {
  return sqlState(error) === readOnly;
}

function isNetworkError(error: unknown): boolean {
  if (error instanceof ConnectionLostError) return true;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && /^E[A-Z_]+$/.test(error.code);
}

/** The connection ended while something was under way in it. */
export class ConnectionLostError extends Error {}

/**
 * Ends the connection where the work in it takes longer: a server may say nothing and hang up on nobody, for ever.
 * @throws ConnectionLostError
 */
export async function endedWhenLate<Result>(
  { drop }: Pick<Connection, 'drop'>,
  milliseconds: number,
  work: () => Promise<Result>,
): Promise<Result> {
  let isLate = false;
  const overdue = setTimeout(() => {
    isLate = true;
    drop();
  }, milliseconds);
  try {
    return await work();
  } catch (error) {
    throw isLate ? new ConnectionLostError('PostgreSQL did not answer in time.', { cause: error }) : error;
  } finally {
    clearTimeout(overdue);
  }
}
