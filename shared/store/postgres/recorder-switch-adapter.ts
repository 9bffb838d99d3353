// Whether the recorder of a namespace was switched by hand: read from the shared look, written with it.
import type { RecorderSwitch } from '../ports/exchanges.ts';
import type { Head } from './head.ts';
import type { NamespaceContext } from './namespace.ts';
import { command } from './statement.ts';

const sql = {
  store: command('UPDATE namespaces SET recorder_enabled = @enabled WHERE namespace = @ns'),
};

export function recorderSwitchAdapter({ database, ns }: NamespaceContext, head: Head): RecorderSwitch {
  return {
    state: () => head.recorderOf(ns),
    set: async (enabled) => {
      await database.write('recorder', async (on) => {
        await sql.store.run(on, { ns, enabled: enabled === undefined ? null : Number(enabled) });
        await head.noteRecorderSwitched(on);
      });
      await database.read((on) => head.look(on, ns));
    },
  };
}
