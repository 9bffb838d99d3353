// Whether the recorder of a namespace was switched by hand: read from the shared look, written with it.
import type { RecorderSwitch } from '../ports/exchanges.ts';
import { recorderSwitchTexts } from '../statements/namespaces.ts';
import type { CachedState } from './cached-state.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { SharedLook } from './shared-look.ts';
import { prepared } from './statement.ts';

const sql = prepared(recorderSwitchTexts);

export function recorderSwitchAdapter(
  { database, ns }: NamespaceContext,
  cached: CachedState,
  sharedLook: SharedLook,
): RecorderSwitch {
  return {
    state: () => cached.recorderOf(ns),
    set: async (enabled) => {
      await database.write('recorder', async (on) => {
        await sql.store.run(on, { ns, enabled: enabled === undefined ? null : Number(enabled) });
        await cached.noteRecorderSwitched(on);
      });
      await sharedLook.afterChange(ns);
    },
  };
}
