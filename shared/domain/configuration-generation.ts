// Accepted configurations are numbered texts: the same texts again are no new generation, unless something happened
// since that only a newer one may decide about (RUN-27).

export interface ConfigurationTexts {
  /** undefined: the file is missing. */
  readonly settingsText: string | undefined;
  readonly usersText: string | undefined;
}

/** Readers that are about to follow an older one still find its texts. */
export const generationsKept = 8;

/** Whether the texts need a number of their own. */
export function isNewGeneration(
  newest: (ConfigurationTexts & { readonly superseded: boolean }) | undefined,
  texts: ConfigurationTexts,
): boolean {
  if (newest === undefined || newest.superseded) return true;
  return newest.settingsText !== texts.settingsText || newest.usersText !== texts.usersText;
}
