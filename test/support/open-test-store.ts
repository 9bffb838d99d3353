// Opens stores for tests, each in its own directory.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemStopwatch } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import type { StoreLocation } from '#shared/model/runtime-store/store-location.ts';
import { type OpenedStore, openRuntimeStore } from '#shared/state/store/open-store.ts';
import { silentLogger } from '#test/support/silent-logger.ts';

export function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'test-idp-store-'));
}

/** `realClock` dates stored revocations. `machineClock` replaces the machine's clock. */
export interface TestStoreOptions {
  readonly realClock?: Clock;
  readonly machineClock?: Clock;
}

export function openTestStore(location: StoreLocation, options: TestStoreOptions = {}): Promise<OpenedStore> {
  return openRuntimeStore(location, {
    stopwatch: systemStopwatch,
    random: systemRandomness,
    log: silentLogger(),
    ...options,
  });
}

/** An empty store in its own files. */
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

/** Two stores opened on one file, as by two processes. */
export async function openTwoHandles() {
  const directory = temporaryDirectory();
  const path = join(directory, 'runtime.db');
  const one = await openTestStore({ kind: 'sqlite', path });
  const other = await openTestStore({ kind: 'sqlite', path });
  const close = async () => {
    await one.close();
    await other.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { ...{ directory, path, one, other }, close };
}
