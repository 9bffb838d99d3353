// One connection to a PostgreSQL server, as the rest of the store uses it. Only driver.ts knows the driver behind it.
// So a test can act as a server that fails at a chosen time.

export type Value = string | number | Uint8Array | null;
export type Bindings = Readonly<Record<string, Value>>;

export interface Answer {
  readonly rows: readonly unknown[];
  /** The number of rows that a command changed or a query returned. */
  readonly count: number;
}

export interface PreparedText {
  /** With `$1`, `$2`, … */
  readonly text: string;
  /** The server stores the parsed statement under this name. undefined: used too rarely for that. */
  readonly name: string | undefined;
  readonly values: readonly Value[];
}

export interface Connection {
  /** The name of the connected server among those of the URL. */
  readonly server: string;
  /**
   * Sends one or more statements with parameters in one message and one round trip. They form one transaction unless
   * one is already running. Throws PostgreSQL's own error, which `sqlState` reads. No statement after the failed one
   * has run then.
   */
  send(statements: readonly PreparedText[]): Promise<readonly Answer[]>;
  /** Sends any number of statements without parameters in one message. Returns the answers of each. */
  runText(text: string): Promise<readonly Answer[]>;
  /** False once the server or the network has closed the connection. */
  isOpen(): boolean;
  /** Closes the connection at once, even during a statement. Pending calls fail. */
  drop(): void;
  /** Closes the connection in an orderly way. */
  close(): Promise<void>;
}

/** Makes a connection that is ready for statements: schema, timeouts and name are set. */
export type Connect = (timeoutMilliseconds: number) => Promise<Connection>;

/** Returns PostgreSQL's five-character code. undefined: the error is not from PostgreSQL. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  // Every PostgreSQL code contains a digit. EPIPE, a code of Node.js, does not.
  return typeof error.code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

/** Serialization failure and deadlock: nothing was changed, and a retry may succeed (PGS-16). */
export function isCollision(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/**
 * The connection is closed, or the server takes no writes (any more): another connection may succeed (PGS-32, PGS-35).
 * An error without a state comes from the network or the driver.
 */
export function isBroken(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) return isNetworkError(error);
  return state.startsWith('08') || state.startsWith('57P') || state === readOnly || state === '25P03';
}

const readOnly = '25006';

/** The server takes no writes, and rejected the statement before there was anything to commit. */
export function isReadOnlyRefusal(error: unknown): boolean {
  return sqlState(error) === readOnly;
}

function isNetworkError(error: unknown): boolean {
  if (error instanceof ConnectionLostError) return true;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && /^E[A-Z_]+$/.test(error.code);
}

/** The connection ended while an operation was running in it. */
export class ConnectionLostError extends Error {}

/**
 * Closes the connection when the work in it takes too long: a server may stop responding without closing it.
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
    throw isLate ? new ConnectionLostError('PostgreSQL did not respond in time.', { cause: error }) : error;
  } finally {
    clearTimeout(overdue);
  }
}
