// Whether the recorder of a namespace was switched by hand: read from the shared look, written with it.
import type { RecorderSwitch } from '../ports/exchanges.ts';
import type { Statements } from './database.ts';
import type { Head } from './head.ts';
import type { NamespaceContext } from './namespace.ts';

const statements = (sql: Statements) => ({
  store: sql.command('UPDATE namespaces SET recorder_enabled = @enabled WHERE namespace = @ns'),
});

export function recorderSwitchAdapter({ database, ns }: NamespaceContext, head: Head): RecorderSwitch {
  const sql = database.prepared(statements);
  return {
    state: () => head.recorderOf(ns),
    set: async (enabled) => {
      await database.write(() => {
        sql.store.run({ ns, enabled: enabled === undefined ? null : Number(enabled) });
        head.noteRecorderSwitched();
      });
      await database.read(() => head.look(ns));
    },
  };
}
