// Where runtime state lives, decided at process start (STO-01), and what that means for whoever uses it. Loads nothing,
// because the supervisor reads it, too.
import { shownPostgresUrl } from './postgres-url.ts';

export type StoreLocation =
  /** Alone with `runtime.store: memory`: nobody else opens it. */
  | { readonly kind: 'memory' }
  /** The private directory of a stack with `runtime.store: memory`; shared by its workers, gone with it (SUP-13). */
  | { readonly kind: 'stack'; readonly directory: string }
  /** `runtime.store: sqlite`: the file the configuration names, as an absolute path. */
  | { readonly kind: 'sqlite'; readonly path: string }
  /** `runtime.store: postgres`: a schema of a database, shared by every process on any machine that names it. */
  | PostgresLocation;

export interface PostgresLocation {
  readonly kind: 'postgres';
  /** With its password: for whoever connects, and for no message (PGS-05). */
  readonly url: string;
  readonly schema: string;
  /** Sessions of one worker besides its proof of life. */
  readonly poolSize: number;
  /** What the paths in the URL are relative to. */
  readonly directory: string;
}

/**
 * What the kinds of `runtime.store` differ in for those who use them; nobody asks for a kind by name. `sharedBetweenProcesses`:
 * other stacks may use the same store, so files are looked at before each operation and a change concerns them all.
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

/** A location as another process told it; undefined when it is none. */
export function parseStoreLocation(told: unknown): StoreLocation | undefined {
  if (typeof told !== 'object' || told === null || !('kind' in told)) return undefined;
  if (told.kind === 'memory') return { kind: 'memory' };
  if (told.kind === 'stack' && 'directory' in told && typeof told.directory === 'string') {
    return { kind: 'stack', directory: told.directory };
  }
  if (told.kind === 'sqlite' && 'path' in told && typeof told.path === 'string') {
    return { kind: 'sqlite', path: told.path };
  }
  if (told.kind === 'postgres' && isPostgresLocation(told)) {
    const { url, schema, poolSize, directory } = told;
    return { kind: 'postgres', url, schema, poolSize, directory };
  }
  return undefined;
}

function isPostgresLocation(told: object): told is PostgresLocation {
  const { url, schema, poolSize, directory } = told as Record<string, unknown>;
  return [url, schema, directory].every((text) => typeof text === 'string') && Number.isSafeInteger(poolSize);
}

/** For messages. */
export function placeOf(location: StoreLocation): string {
  if (location.kind === 'memory') return ':memory:';
  if (location.kind === 'postgres') return `${shownPostgresUrl(location.url)} schema ${location.schema}`;
  return location.kind === 'sqlite' ? location.path : location.directory;
}
