// What store operations work with on SQLite.
import { hasRoomFor, spaceTexts } from '../operations/bounded-space.ts';
import type { BoundCommand, OperationContext, Step } from '../operations/work.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { Outbox } from './outbox.ts';
import { Answered, carryOut, SqliteCommand, stepsOf } from './steps.ts';

export function operationContext(context: NamespaceContext, outbox: Outbox): OperationContext {
  const { database, ns, realClock, proved, random, log, onStep } = context;
  const room = stepsOf(database, spaceTexts);
  /**
   * Whether the current transaction has put an event into the outbox. Only one transaction runs at a time, within one
   * event-loop turn.
   */
  let hasEvent = false;
  const transaction =
    <Result>(work: () => Step<Result>) =>
    () => {
      hasEvent = false;
      const result = carryOut(work());
      return { result, hasEvent };
    };
  const committed = async <Result>(done: { readonly result: Result; readonly hasEvent: boolean }) => {
    if (done.hasEvent) await outbox.committed();
    return done.result;
  };
  return {
    ...{ ns, realClock, proved, random, log, onStep },
    prepare: (texts) => stepsOf(database, texts),
    read: (work) => database.read(() => carryOut(work())),
    write: async (_locks, work) => committed(await database.write(transaction(work))),
    release: async (_locks, work) => committed(await database.free(transaction(work))),
    record: (event) => {
      outbox.put(event);
      hasEvent = true;
    },
    hasRoomFor: (kind, ...texts) => new Answered(carryOut(hasRoomFor(room, ns, kind, texts))),
    // Results are in the order of the parts.
    together: <Results extends readonly unknown[]>(
      ...works: { readonly [Index in keyof Results]: Step<Results[Index]> }
    ) => new Answered(works.map((work) => carryOut(work)) as unknown as Results),
    apart: (command) => void runBound(command),
    batch: (_locks, commands) => database.write(() => commands().map(runBound)),
    isFarAway: false,
  };
}

function runBound(command: BoundCommand): number {
  if (!(command instanceof SqliteCommand)) throw new TypeError('The command was made by another engine.');
  return command.run();
}
