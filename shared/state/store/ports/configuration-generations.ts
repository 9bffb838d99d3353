// The accepted configuration, as texts, so that every process of a store uses the same generation (ACT-12, SUP-06).
import type { ConfigurationTexts } from '#shared/model/domain/configuration-generation.ts';

export interface AcceptedConfiguration {
  readonly generation: number;
  /** undefined: the file is missing. */
  readonly settingsText: string | undefined;
  readonly usersText: string | undefined;
  /** The digest that the texts were compared by, where that is not the texts themselves. */
  readonly sharedDigest?: string;
}

export interface AcceptOptions {
  /** Makes a new generation although the texts are the active ones: other files that they name may have changed. */
  readonly anew?: boolean;
  /**
   * Digest of what the texts mean on all machines. Texts with equal digests count as identical, however they are
   * written.
   */
  readonly sharedDigest?: string | undefined;
}

export interface ConfigurationGenerations {
  /**
   * Returns the newest generation's number without its texts, 0 before the first. Called before every operation, so it
   * is cheap.
   */
  newest(): Promise<number>;
  read(generation: number): Promise<AcceptedConfiguration | undefined>;
  /**
   * Accepts the texts as the newest generation and returns its number. Texts equal to the newest return the same
   * number. `declarer` names the directory that the texts come from, for `declare`.
   */
  accept(
    settingsText: string | undefined,
    usersText: string | undefined,
    declarer?: string,
    how?: AcceptOptions,
  ): Promise<number>;
  /**
   * Does the same for files that no request asked to load. Returns `behind` and changes nothing when the texts differ
   * from the newest and one of these holds: this declarer has declared them before, or they were active before (CLU-13
   * to CLU-15, D45). So directories with different files never alternate. Previously active texts are still accepted in
   * two cases: a known declarer reverts the newest, which it declared itself, or the texts were `edited` while it ran.
   */
  declare(
    settingsText: string | undefined,
    usersText: string | undefined,
    declarer: string,
    how?: { readonly edited?: boolean } & Pick<AcceptOptions, 'sharedDigest'>,
  ): Promise<number | 'behind'>;
  /**
   * Accepts what a write made of `base`, as `accept` does, while `base` is still the newest generation. Otherwise
   * returns `moved_on` and changes nothing. So of simultaneous writes on several machines exactly one becomes active
   * (CLU-21).
   */
  acceptOver(
    base: ConfigurationTexts,
    texts: ConfigurationTexts,
    declarer: string | undefined,
    anew?: boolean,
  ): Promise<number | 'moved_on'>;
  /** Accepts only when no generation exists yet. Returns the newest either way. For workers that boot together. */
  acceptFirst(settingsText: string | undefined, usersText: string | undefined): Promise<AcceptedConfiguration>;
}
