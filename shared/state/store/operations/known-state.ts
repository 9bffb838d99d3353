// What a process keeps in memory of the store for one namespace, so that a request costs one look at a counter (decisions 4 and 8). Each
// engine keeps it; operations read it, and note in the same write what other processes have to read again.
import type { Fault } from '#shared/model/domain/fault.ts';
import type { ClockState } from '#shared/model/domain/movable-clock.ts';
import { command } from '../statements/text.ts';
import type { Step } from './work.ts';

export interface KnownState {
  /** These three are as of the last look at the store. */
  clock(): ClockState;
  /** Those that may still fire but for their time, in the order of their creation. */
  faults(): readonly Fault[];
  /** Whether the recorder was switched by hand. undefined: it was not. */
  recorder(): boolean | undefined;
  /** Within an operation: looks at the store, and answers the newest generation. */
  refresh(): Step<number>;
  /** The same as an operation of its own. @throws RuntimeStoreUnavailableError, NamespaceEndedError */
  newestGeneration(): Promise<number>;
  /** After a change: this process knows it at once. */
  afterChange(): Promise<void>;
  /** Looks, unless the store is held by another process or does not answer at once. No promise where the store is in this process. */
  glance(): Promise<void> | undefined;
}

/** Each counter of `head` says how often something changed: after a growth every process reads it again. */
export const noteTexts = {
  noteClockMoved: command('UPDATE head SET clock_moves = clock_moves + 1'),
  noteFaultsChanged: command('UPDATE head SET fault_changes = fault_changes + 1'),
  noteRecorderSwitched: command('UPDATE head SET recorder_switches = recorder_switches + 1'),
};
