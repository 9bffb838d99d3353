// Where runtime state is stored, decided at process start (STO-01), and what that means for its users. Loads no
// library, because the supervisor uses it too.
import { shownPostgresUrl } from './postgres-url.ts';

export type StoreLocation =
  /** A single process with `runtime.store: memory`. No other process opens it. */
  | { readonly kind: 'memory' }
  /**
   * The private directory of a stack with `runtime.store: memory`. Its workers share it, and it is deleted with the
   * stack (SUP-13).
   */
  | { readonly kind: 'stack'; readonly directory: string }
  /** `runtime.store: sqlite`: the file the configuration names, as an absolute path. */
  | { readonly kind: 'sqlite'; readonly path: string }
  /** `runtime.store: postgres`: a schema of a database, shared by every process on any machine that names it. */
  | PostgresLocation;

export interface PostgresLocation {
  readonly kind: 'postgres';
  /** Includes the password: only for connecting, never for messages (PGS-05). */
  readonly url: string;
  readonly schema: string;
  /** Sessions of one worker, without the one that proves that it is alive. */
  readonly poolSize: number;
  /** The base of relative paths in the URL. */
  readonly directory: string;
}

/**
 * How the kinds of `runtime.store` differ for their users, so that code never compares a kind's name.
 * `sharedBetweenProcesses`: other stacks may use the same store. So files are checked before each operation, and a
 * change affects all stacks.
 */
const capabilities = {
  memory: { sharedBetweenProcesses: false },
  stack: { sharedBetweenProcesses: false },
  sqlite: { sharedBetweenProcesses: true },
  postgres: { sharedBetweenProcesses: true },
} as const satisfies Record<StoreLocation['kind'], { readonly sharedBetweenProcesses: boolean }>;

export function isSharedBetweenProcesses({ kind }: Pick<StoreLocation, 'kind'>): boolean {
  return capabilities[kind].sharedBetweenProcesses;
}

/** Parses a location from another process. undefined when it is invalid. */
export function parseStoreLocation(value: unknown): StoreLocation | undefined {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined;
  if (value.kind === 'memory') return { kind: 'memory' };
  if (value.kind === 'stack' && 'directory' in value && typeof value.directory === 'string') {
    return { kind: 'stack', directory: value.directory };
  }
  if (value.kind === 'sqlite' && 'path' in value && typeof value.path === 'string') {
    return { kind: 'sqlite', path: value.path };
  }
  if (value.kind === 'postgres' && isPostgresLocation(value)) {
    const { url, schema, poolSize, directory } = value;
    return { kind: 'postgres', url, schema, poolSize, directory };
  }
  return undefined;
}

function isPostgresLocation(value: object): value is PostgresLocation {
  const { url, schema, poolSize, directory } = value as Record<string, unknown>;
  return [url, schema, directory].every((text) => typeof text === 'string') && Number.isSafeInteger(poolSize);
}

/** For messages. */
export function placeOf(location: StoreLocation): string {
  if (location.kind === 'memory') return ':memory:';
  if (location.kind === 'postgres') return `${shownPostgresUrl(location.url)} schema ${location.schema}`;
  return location.kind === 'sqlite' ? location.path : location.directory;
}
