// What was accepted last for all who share a store, as texts.
import type { ConfigurationGenerations } from '#shared/state/store/ports/index.ts';
import type { ConfigurationTexts } from './load/read-files.ts';

/** undefined: nothing was accepted yet, or that much was meanwhile that these texts are forgotten. */
export async function newestGenerationTexts(
  generations: Pick<ConfigurationGenerations, 'newest' | 'read'>,
): Promise<{ readonly generation: number; readonly texts: ConfigurationTexts } | undefined> {
  const generation = await generations.newest();
  const accepted = generation === 0 ? undefined : await generations.read(generation);
  if (accepted === undefined) return undefined;
  return { generation, texts: { settings: accepted.settingsText, users: accepted.usersText } };
}
