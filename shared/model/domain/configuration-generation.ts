// Accepted configurations are numbered texts. Identical texts are no new generation, unless something happened in the
// meantime that only a newer one may decide (RUN-27).

import { createHash } from 'node:crypto';

export interface ConfigurationTexts {
  /** undefined: the file is missing. */
  readonly settingsText: string | undefined;
  readonly usersText: string | undefined;
  /**
   * Identifies what the texts declare for all machines. Other machines may write it differently (CLU-19). Absent: the
   * texts themselves.
   */
  readonly sharedDigest?: string | undefined;
}

/** Readers that are about to activate an older generation can still read its texts. */
export const generationsKept = 8;

/**
 * The number of declarers, and of texts that were once active, that are stored. Beyond it, the store no longer knows
 * that the oldest were superseded.
 */
export const declarationsKept = 1000;

/**
 * Whether files that differ from the active configuration change it. Files that their directory declared before never
 * do. Files that were edited while a process ran do. Files found at a start do if they were never active, or if their
 * directory declared the active configuration and so withdraws its own declaration (CLU-13 to CLU-15).
 */
export function mayDeclare(declaration: {
  /** The last declaration of this directory. undefined: none. */
  readonly last: string | undefined;
  readonly digest: string;
  /** The active configuration. */
  readonly newest: string;
  readonly wasInForce: boolean;
  /** The files changed while a process was running on them. */
  readonly isEdited: boolean;
}): boolean {
  const { last, digest, newest, wasInForce, isEdited } = declaration;
  if (last === undefined) return !wasInForce;
  if (last === digest) return false;
  return isEdited || !wasInForce || last === newest;
}

/** The digest by which texts are compared. */
export function digestOfTexts(texts: ConfigurationTexts): string {
  return texts.sharedDigest ?? wholeDigest(texts);
}

/** Programs that do not support settings of one machine compare by this. A missing file differs from an empty one. */
export function wholeDigest({ settingsText, usersText }: Omit<ConfigurationTexts, 'sharedDigest'>): string {
  return createHash('sha256')
    .update(JSON.stringify([settingsText ?? null, usersText ?? null]))
    .digest('hex');
}

/** Converts a stored digest of one of these texts, from any program version, to the digest that is compared now. */
export function knownDigest(noted: string | undefined, known: readonly ConfigurationTexts[]): string | undefined {
  const texts = known.find((each) => noted === wholeDigest(each));
  return texts === undefined ? noted : digestOfTexts(texts);
}

/** Whether a change of `base` may be activated: nothing else was declared since it was read (CLU-21). */
export function isStillNewest(newest: ConfigurationTexts | undefined, base: ConfigurationTexts): boolean {
  return newest !== undefined && isSameTexts(newest, base);
}

export function isSameTexts(one: ConfigurationTexts, other: ConfigurationTexts): boolean {
  if (one.settingsText === other.settingsText && one.usersText === other.usersText) return true;
  return digestOfTexts(one) === digestOfTexts(other);
}

/** Whether the texts need a new number. */
export function isNewGeneration(
  newest: (ConfigurationTexts & { readonly superseded: boolean }) | undefined,
  texts: ConfigurationTexts,
): boolean {
  return newest === undefined || newest.superseded || !isSameTexts(newest, texts);
}
