// What store operations work with on PostgreSQL.
import { hasRoomFor, spaceTexts } from '../operations/bounded-space.ts';
import type { BoundCommand, OperationContext, Step } from '../operations/work.ts';
import type { ChangeEvents } from './audit/change-events.ts';
import type { NamespaceContext } from './namespace-context.ts';
import { awaited, carryOut, PostgresCommand, runner, stepsOf, transaction } from './steps.ts';

export function operationContext(context: NamespaceContext, events: ChangeEvents): OperationContext {
  const { database, ns, realClock, proved, random, log, onStep } = context;
  const room = stepsOf(spaceTexts);
  const write: OperationContext['write'] = (locks, work) => database.write(locks, (on) => carryOut(on, work));
  return {
    ...{ ns, realClock, proved, random, log, onStep },
    prepare: (texts) => stepsOf(texts),
    read: (work) => database.read((on) => carryOut(on, work)),
    write,
    release: write,
    record: (event) => events.put(transaction(), event),
    hasRoomFor: (kind, ...texts) => awaited(carryOut(runner(), () => hasRoomFor(room, ns, kind, texts))),
    together: <Results extends readonly unknown[]>(
      ...works: { readonly [Index in keyof Results]: Step<Results[Index]> }
    ) => {
      const on = runner();
      // Results are in the order of the parts.
      return awaited(Promise.all(works.map((work) => carryOut(on, () => work))) as unknown as Promise<Results>);
    },
    // So the lock on a row that every transaction may change ends at once.
    apart: (command) => void database.change([], [preparedOf(command)]).catch(() => undefined),
    batch: (locks, commands) => database.change(locks, commands().map(preparedOf)),
    isFarAway: true,
  };
}

function preparedOf(command: BoundCommand) {
  if (!(command instanceof PostgresCommand)) throw new TypeError('The command was made by another engine.');
  return command.prepared;
}
