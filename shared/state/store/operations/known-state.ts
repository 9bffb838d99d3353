// The part of the store that a process caches for one namespace, so that a request costs one read of a counter
// (decisions 4 and 8). Each engine maintains the cache. Operations read it, and note in the same write what other
// processes have to read again.
import type { Fault } from '#shared/model/domain/fault.ts';
import type { ClockState } from '#shared/model/domain/movable-clock.ts';
import { command } from '../statements/text.ts';
import type { Step } from './work.ts';

export interface KnownState {
  /** `clock`, `faults` and `recorder` return the state as of the last read of the store. */
  clock(): ClockState;
  /** Returns the faults that may still fire, expired ones included, in order of creation. */
  faults(): readonly Fault[];
  /** Whether the recorder was switched by hand. undefined: it was not. */
  recorder(): boolean | undefined;
  /** Within an operation: reads the store and returns the newest generation. */
  refresh(): Step<number>;
  /** Does the same as a separate operation. @throws RuntimeStoreUnavailableError, NamespaceEndedError */
  newestGeneration(): Promise<number>;
  /** After a change: updates the cache of this process at once. */
  afterChange(): Promise<void>;
  /**
   * Reads the store, unless another process locks it or it does not respond at once. No promise where the store is in
   * this process.
   */
  glance(): Promise<void> | undefined;
}

/**
 * Each counter of `head` counts the changes of one kind. When it has increased, every process reads that state again.
 */
export const noteTexts = {
  noteClockMoved: command('UPDATE head SET clock_moves = clock_moves + 1'),
  noteFaultsChanged: command('UPDATE head SET fault_changes = fault_changes + 1'),
  noteRecorderSwitched: command('UPDATE head SET recorder_switches = recorder_switches + 1'),
};
