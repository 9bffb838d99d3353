// The texts that were accepted last for all processes on a store.
import type { ConfigurationGenerations } from '#shared/state/store/ports/index.ts';
import type { ConfigurationTexts } from './load/read-files.ts';

/** undefined: nothing was accepted yet, or so many newer ones were accepted meanwhile that these texts are deleted. */
export async function newestGenerationTexts(
  generations: Pick<ConfigurationGenerations, 'newest' | 'read'>,
): Promise<{ readonly generation: number; readonly texts: ConfigurationTexts } | undefined> {
  const generation = await generations.newest();
  const accepted = generation === 0 ? undefined : await generations.read(generation);
  if (accepted === undefined) return undefined;
  return { generation, texts: { settings: accepted.settingsText, users: accepted.usersText } };
}
