// Checks both files often at the cost of two stats. Content is read and hashed only when a stat changed, or while a
// file is so new that its stat cannot be trusted (STO-19). No lock is held, so a check may see half of a running write.
// Callers that act on it read the files again.

import { type BigIntStats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '#shared/base/clock.ts';
import { configurationFileNames } from './load/file-names.ts';
import { type ConfigurationFiles, type FileReading, readConfigurationFile } from './load/read-files.ts';

/** Within this time after a change another one may leave size and modification time unchanged (STO-19). */
const youngMilliseconds = 2_000;

export type StatFile = (path: string) => BigIntStats | undefined;

export class WatchedFiles {
  readonly #settings: WatchedFile;
  readonly #users: WatchedFile;

  /** `machineClock` is compared with modification times. */
  constructor(directory: string, machineClock: Clock, lookAt: StatFile = statOf) {
    const watch = (name: string) => new WatchedFile(join(directory, name), machineClock, lookAt);
    this.#settings = watch(configurationFileNames.settings);
    this.#users = watch(configurationFileNames.users);
  }

  read(): ConfigurationFiles {
    return { settings: this.#settings.read(), users: this.#users.read() };
  }
}

/** A file whose content is read again only when its stat requires it. */
class WatchedFile {
  readonly #path: string;
  readonly #machineClock: Clock;
  readonly #lookAt: StatFile;
  #stamp: string | undefined;
  #reading: FileReading = { state: 'missing' };

  constructor(path: string, machineClock: Clock, lookAt: StatFile) {
    this.#path = path;
    this.#machineClock = machineClock;
    this.#lookAt = lookAt;
  }

  read(): FileReading {
    // Synchronous on purpose: two stats cost microseconds, while work on the thread pool waits behind signatures.
    const stats = this.#lookAt(this.#path);
    const stamp =
      stats === undefined ? undefined : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
    if (stamp !== undefined && stamp === this.#stamp) return this.#reading;
    const now = this.#machineClock.now();
    this.#reading = readConfigurationFile(this.#path);
    const age = stats === undefined ? Number.POSITIVE_INFINITY : now - Number(stats.mtimeNs) / 1e6;
    // The stamp of a new file is not trusted, so the next check reads again.
    this.#stamp = age > youngMilliseconds ? stamp : undefined;
    return this.#reading;
  }
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // The stat fails, for example for a directory without permission. Reading will report it.
    return undefined;
  }
}
