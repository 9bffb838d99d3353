// Opens stores for tests, each in a directory of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemStopwatch } from '#shared/clock.ts';
import { systemRandomness } from '#shared/random.ts';
import { type OpenedStore, openRuntimeStore } from '#shared/store/open-store.ts';
import type { StoreLocation } from '#shared/store/store-location.ts';
import { silentLogger } from '#test/support/silent-logger.ts';

export function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'test-idp-store-'));
}

/** `realClock`: what revocations are remembered by. */
export interface TestStoreOptions {
  readonly realClock?: Clock;
}

export function openTestStore(location: StoreLocation, options: TestStoreOptions = {}): Promise<OpenedStore> {
  return openRuntimeStore(location, {
    stopwatch: systemStopwatch,
    random: systemRandomness,
    log: silentLogger(),
    ...options,
  });
}

/** An empty store in files of its own. */
export async function openEmptyFileStore(kind: 'sqlite' | 'stack', options?: TestStoreOptions) {
  const directory = temporaryDirectory();
  const location = kind === 'sqlite' ? ({ kind, path: join(directory, 'runtime.db') } as const) : { kind, directory };
  const opened = await openTestStore(location, options);
  return { opened, location, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

export async function openEmptyMemoryStore(options?: TestStoreOptions) {
  const location = { kind: 'memory' } as const;
  return { opened: await openTestStore(location, options), location, remove: () => undefined };
}
