// Declared texts as this machine applies and writes them: with this machine's settings from its own file (CLU-19).

import type { Revision } from '#shared/model/configuration/configuration-snapshot.ts';
import { ConfigurationRejectedError } from './active-configuration.ts';
import { placeOf } from './load/load-directory.ts';
import { type ConfigurationTexts, type FileReading, filesOf, readConfigurationFiles } from './load/read-files.ts';
import { runOnOwnThread } from './own-thread/run-on-own-thread.ts';

export interface OwnMachine {
  readonly directory: string | undefined;
  readonly sharedStore: boolean;
  readonly machine?: string | undefined;
}

/**
 * `before`: the texts that this machine applied until now, used while its file cannot be read. Without either the texts
 * stay as declared.
 * @throws ConfigurationRejectedError when the settings of this machine cannot be merged.
 */
export async function asOnThisMachine(
  declared: ConfigurationTexts,
  { directory, sharedStore, machine }: OwnMachine,
  before: ConfigurationTexts | undefined,
  file: FileReading = readConfigurationFiles(directory).settings,
): Promise<ConfigurationTexts> {
  if (directory === undefined || !(sharedStore || machine !== undefined)) return declared;
  const own = await runOnOwnThread('withOwnSettings', declared, file, before);
  if (own !== 'not_kept') return own;
  const place = placeOf('settings.yaml', directory);
  throw new ConfigurationRejectedError(
    'invalid',
    `${place} server, runtime and jwt.keys_dir: the settings of this machine cannot be kept, because this file or the file of another machine uses anchors or aliases there. Write the values instead.`,
  );
}

/**
 * Where machines share the store, forms and tools compare the declared texts, however a machine writes them (CLU-21).
 * Otherwise the revisions are those of the files.
 */
export function revisionsOfDeclared(
  declared: ConfigurationTexts | undefined,
  { machine }: Pick<OwnMachine, 'machine'>,
): { readonly settings: Revision; readonly users: Revision } | undefined {
  if (machine === undefined || declared === undefined) return undefined;
  const { settings, users } = filesOf({ settings: declared.settings ?? '', users: declared.users ?? '' });
  return settings.state === 'read' && users.state === 'read'
    ? { settings: settings.revision, users: users.revision }
    : undefined;
}
