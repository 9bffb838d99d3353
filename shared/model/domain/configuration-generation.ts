// Accepted configurations are numbered texts: the same texts again are no new generation, unless something happened
// since that only a newer one may decide about (RUN-27).

import { createHash } from 'node:crypto';

export interface ConfigurationTexts {
  /** undefined: the file is missing. */
  readonly settingsText: string | undefined;
  readonly usersText: string | undefined;
  /** Tells apart what they say for all machines: others may write it otherwise (CLU-19). Left out: the texts themselves. */
  readonly sharedDigest?: string | undefined;
}

/** Readers that are about to follow an older one still find its texts. */
export const generationsKept = 8;

/** So many declarers, and so many texts once in force, are remembered: that older ones were superseded is forgotten. */
export const declarationsKept = 1000;

/**
 * Whether files that differ from what is in force change it. Never those that their directory declared before. Files that
 * were edited while a process ran do. Files found at a start do when they were never in force, or when their directory
 * declared what is in force and so takes back its own declaration (CLU-13 to CLU-15).
 */
export function mayDeclare(declaration: {
  /** What this directory declared last; undefined: nothing. */
  readonly last: string | undefined;
  readonly digest: string;
  /** What is in force. */
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

/** What they are compared by. */
export function digestOfTexts(texts: ConfigurationTexts): string {
  return texts.sharedDigest ?? wholeDigest(texts);
}

/** Programs that know of no settings of a machine compare by this. A missing file differs from an empty one. */
export function wholeDigest({ settingsText, usersText }: Omit<ConfigurationTexts, 'sharedDigest'>): string {
  return createHash('sha256')
    .update(JSON.stringify([settingsText ?? null, usersText ?? null]))
    .digest('hex');
}

/** A digest that was noted of one of these texts, by whatever program, as they are compared by now. */
export function knownDigest(noted: string | undefined, known: readonly ConfigurationTexts[]): string | undefined {
  const texts = known.find((each) => noted === wholeDigest(each));
  return texts === undefined ? noted : digestOfTexts(texts);
}

/** Whether a change of `base` may come into force: nothing else was declared since it was read (CLU-21). */
export function isStillNewest(newest: ConfigurationTexts | undefined, base: ConfigurationTexts): boolean {
  return newest !== undefined && isSameTexts(newest, base);
}

export function isSameTexts(one: ConfigurationTexts, other: ConfigurationTexts): boolean {
  if (one.settingsText === other.settingsText && one.usersText === other.usersText) return true;
  return digestOfTexts(one) === digestOfTexts(other);
}

/** Whether the texts need a number of their own. */
export function isNewGeneration(
  newest: (ConfigurationTexts & { readonly superseded: boolean }) | undefined,
  texts: ConfigurationTexts,
): boolean {
  return newest === undefined || newest.superseded || !isSameTexts(newest, texts);
}
