// Proof of life: each process that uses a store holds an exclusive SQLite lock on its own small file (STO-17). The
// kernel releases the lock when the process dies, however it dies, and keeps it while the process is merely stopped. No
// heartbeat, pid or clock is involved, so a live owner is never considered dead (RUN-32).
// - An owner's file could be removed before the owner has locked it. So the owner checks, once it has the lock, whether
//   the file still exists, and starts again if not.
// - An owner could lock its file after the remover has tested the lock and before it removes the file. So the remover
//   tests by taking the lock, and holds it until the file is removed.

import { existsSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Randomness } from '#shared/base/random.ts';
import type { StoreOwners } from '../operations/work.ts';
import { isBusy } from './database.ts';
import { type Connection, openConnection, sqliteCode } from './engine.ts';
import { makePrivateEmptyFile } from './private-file.ts';

export interface ProcessOwners {
  /** The name of this process among the owners of the store. */
  readonly self: string;
  /** Returns true if the owner is proved dead: its lock could be taken, or its file is missing. */
  isDead(owner: string): boolean;
  /** Releases the lock and removes the file. */
  close(): void;
  /** After the end: no other process used the store. */
  areAllDead(): boolean;
}

/** The owners in the form that store operations use. */
export function storeOwners({ self, isDead }: ProcessOwners): StoreOwners {
  return { self: async () => self, dead: async (owners) => new Set(owners.filter((owner) => isDead(owner))) };
}

const ownerFile = /^[\w-]{22}\.db$/;
const attemptsMax = 20;

/** Owners of a store that no other process can open. */
export function soleOwner(random: Randomness): ProcessOwners {
  const self = random.token(16);
  return { self, isDead: (owner) => owner !== self, close: () => undefined, areAllDead: () => true };
}

/** Locks a file of this process in `directory` and removes the files of dead processes. The directory must exist. */
export function openProcessOwners(directory: string, random: Randomness): ProcessOwners {
  const { self, lock } = becomeOwner(directory, random);
  const close = () => {
    removeUnderLock(join(directory, `${self}.db`), lock);
  };
  try {
    for (const file of readdirSync(directory)) {
      const owner = file.slice(0, -'.db'.length);
      if (ownerFile.test(file) && owner !== self) removeIfDead(join(directory, file));
    }
  } catch (error) {
    close();
    throw error;
  }
  return {
    self,
    isDead: (owner) => owner !== self && removeIfDead(join(directory, `${owner}.db`)),
    close,
    areAllDead: () => !existsSync(directory) || !readdirSync(directory).some((file) => ownerFile.test(file)),
  };
}

function becomeOwner(directory: string, random: Randomness): { self: string; lock: Connection } {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const self = random.token(16);
    const path = join(directory, `${self}.db`);
    makePrivateEmptyFile(path);
    try {
      const lock = tryLock(path);
      if (lock !== undefined && existsSync(path)) return { self, lock };
      lock?.close();
    } catch (error) {
      unlinkIfThere(path);
      throw error;
    }
    unlinkIfThere(path);
  }
  throw new Error(`No file in ${directory} could be locked for this process.`);
}

/** Returns whether the file's process is dead. Its file is then removed. */
function removeIfDead(path: string): boolean {
  if (!existsSync(path)) return true;
  const lock = tryLock(path);
  if (lock === undefined) return !existsSync(path);
  removeUnderLock(path, lock);
  return true;
}

/**
 * Closes the lock in any case: a lock left open would make the dead owner seem alive for as long as this process lives.
 */
function removeUnderLock(path: string, lock: Connection): void {
  try {
    unlinkIfThere(path);
  } finally {
    lock.close();
  }
}

/** The exclusive lock is an open transaction that never writes. undefined while another process holds it. */
function tryLock(path: string): Connection | undefined {
  let connection: Connection | undefined;
  try {
    connection = openConnection(path, { fileMustExist: true });
    // No journal file: there is one file for each process, and nothing is ever written.
    connection.pragma('journal_mode = MEMORY');
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection?.close();
    if (isBusy(error) || sqliteCode(error)?.startsWith('SQLITE_CANTOPEN') === true) return undefined;
    throw error;
  }
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (existsSync(path)) throw error;
  }
}
