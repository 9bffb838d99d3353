// Accepted configurations are numbered texts: the same texts again are no new generation, unless something happened
// since that only a newer one may decide about (RUN-27).

import { createHash } from 'node:crypto';

export interface ConfigurationTexts {
  /** undefined: the file is missing. */
  readonly settingsText: string | undefined;
  readonly usersText: string | undefined;
}

/** Readers that are about to follow an older one still find its texts. */
export const generationsKept = 8;

/** So many declarers, and so many texts once in force, are remembered: that older ones were superseded is forgotten. */
export const declarationsKept = 1000;

/**
 * Whether files that differ from what is in force change it: only what changed since its directory declared anything, or
 * comes from a directory that never did and was never in force (CLU-13 to CLU-15).
 */
export function mayDeclare(declaration: {
  /** What this directory declared last; undefined: nothing. */
  readonly last: string | undefined;
  readonly digest: string;
  readonly wasInForce: boolean;
}): boolean {
  return declaration.last === undefined ? !declaration.wasInForce : declaration.last !== declaration.digest;
}

/** A missing file differs from an empty one. */
export function digestOfTexts({ settingsText, usersText }: ConfigurationTexts): string {
  return createHash('sha256')
    .update(JSON.stringify([settingsText ?? null, usersText ?? null]))
    .digest('hex');
}

/** Whether a change of `base` may come into force: nothing else was declared since it was read (CLU-21). */
export function isStillNewest(newest: ConfigurationTexts | undefined, base: ConfigurationTexts): boolean {
  return newest !== undefined && isSameTexts(newest, base);
}

export function isSameTexts(one: ConfigurationTexts, other: ConfigurationTexts): boolean {
  return one.settingsText === other.settingsText && one.usersText === other.usersText;
}

/** Whether the texts need a number of their own. */
export function isNewGeneration(
  newest: (ConfigurationTexts & { readonly superseded: boolean }) | undefined,
  texts: ConfigurationTexts,
): boolean {
  return newest === undefined || newest.superseded || !isSameTexts(newest, texts);
}
