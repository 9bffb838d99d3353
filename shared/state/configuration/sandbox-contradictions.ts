// Where the settings of a sandbox and the files contradict each other, although each is valid alone (SBX-34). The
// creation of such a sandbox is rejected. A reload under an existing sandbox is not (SBX-39): then the key that the
// rule names has its default there.
import { dotted } from '#shared/model/configuration/finding.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { settingsFields } from '#shared/model/configuration/settings-fields.ts';
import { checkTogether } from './load/cross-checks.ts';

export interface Contradiction {
  /** The dotted path of the key that gets its default. */
  readonly key: string;
  /** The sentence that `validate-config` prints. */
  readonly message: string;
  /** The default of the key. */
  readonly byDefault: unknown;
}

/** `settings`: those of the sandbox, merged over the files. */
export function contradictionsOf(settings: Settings): readonly Contradiction[] {
  return [...checkTogether(settings)].flatMap(({ level, path, message }) => {
    const field = settingsFields.find((each) => `${path.join('.')}.`.startsWith(`${each.path}.`));
    if (level !== 'error' || field === undefined) return [];
    return [{ key: field.path, message: `${dotted(path)} ${message}`, byDefault: field.byDefault }];
  });
}
