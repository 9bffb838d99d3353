// Whether requests are recorded: the manual switch decides, or else the settings (REC-07).
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';

interface RecorderContext {
  readonly store: Pick<RuntimeStore, 'recorderSwitch'>;
  readonly snapshot: Pick<ConfigurationSnapshot, 'settings'>;
}

export function isRecorderOn({ store, snapshot }: RecorderContext): boolean {
  return store.recorderSwitch.state() ?? snapshot.settings.recorder.enabled;
}
