// Whether the recorder of a namespace was switched by hand.
import type { RecorderSwitch } from '../ports/recorder-switch.ts';
import { command, type StatementTexts } from '../statements/text.ts';
import { type KnownState, noteTexts } from './known-state.ts';
import type { OperationContext } from './work.ts';
import { writing } from './work.ts';

const texts = () =>
  ({
    ...noteTexts,
    store: command('UPDATE namespaces SET recorder_enabled = @enabled WHERE namespace = @ns'),
  }) satisfies StatementTexts;

export function recorderSwitch({ ns, prepare, write }: OperationContext, known: KnownState): RecorderSwitch {
  const sql = prepare(texts);
  return {
    state: () => known.recorder(),
    set: async (enabled) => {
      await write('recorder', () =>
        writing(() => {
          sql.store.put({ ns, enabled: enabled === undefined ? null : Number(enabled) });
          sql.noteRecorderSwitched.put({});
        }),
      );
      await known.afterChange();
    },
  };
}
