// Where the settings of a sandbox and the files below them do not go together, although each of them does alone (SBX-34). Whoever makes
// a sandbox is refused; a reload under one that lives refuses nothing (SBX-39), and then the key that a rule names has its default there.
import { dotted } from '#shared/model/configuration/finding.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { settingsFields } from '#shared/model/configuration/settings-fields.ts';
import { checkTogether } from './load/cross-checks.ts';

export interface Contradiction {
  /** The dotted path of the key that gives way. */
  readonly key: string;
  /** The sentence that `validate-config` prints. */
  readonly message: string;
  /** What the key has in its place. */
  readonly byDefault: unknown;
}

/** `settings`: those of the sandbox, laid over the files. */
export function contradictionsOf(settings: Settings): readonly Contradiction[] {
  return [...checkTogether(settings)].flatMap(({ level, path, message }) => {
    const field = settingsFields.find((each) => `${path.join('.')}.`.startsWith(`${each.path}.`));
    if (level !== 'error' || field === undefined) return [];
    return [{ key: field.path, message: `${dotted(path)} ${message}`, byDefault: field.byDefault }];
  });
}
