// Whether the recorder of a namespace was switched by hand: read from the shared look, written with it.
import type { RecorderSwitch } from '../ports/exchanges.ts';
import { recorderSwitchTexts } from '../statements/namespaces.ts';
import type { CachedState } from './cached-state.ts';
import type { NamespaceContext } from './namespace-context.ts';

export function recorderSwitchAdapter({ database, ns }: NamespaceContext, cached: CachedState): RecorderSwitch {
  const sql = database.prepare(recorderSwitchTexts);
  return {
    state: () => cached.recorderOf(ns),
    set: async (enabled) => {
      await database.write(() => {
        sql.store.run({ ns, enabled: enabled === undefined ? null : Number(enabled) });
        cached.noteRecorderSwitched();
      });
      await database.read(() => cached.look(ns));
    },
  };
}
