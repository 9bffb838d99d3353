// The accepted configuration, as texts, so that every process of a store follows one generation (ACT-12, SUP-06).
import type { ConfigurationTexts } from '#shared/model/domain/configuration-generation.ts';

export interface AcceptedConfiguration {
  readonly generation: number;
  /** undefined: the file is missing. */
  readonly settingsText: string | undefined;
  readonly usersText: string | undefined;
  /** What they were compared by, where that are not the texts themselves. */
  readonly sharedDigest?: string;
}

export interface AcceptOptions {
  /** A generation of its own although the texts are those in force: other files that they name may have changed. */
  readonly anew?: boolean;
  /** What the texts say for all machines: equal ones are the same texts, however they are written. */
  readonly sharedDigest?: string | undefined;
}

export interface ConfigurationGenerations {
  /** The newest generation's number without its texts; 0 when none was accepted. Asked before every operation: cheap. */
  newest(): Promise<number>;
  read(generation: number): Promise<AcceptedConfiguration | undefined>;
  /**
   * Accepts the texts as the newest generation and answers its number. Texts equal to the newest give the same number.
   * `declarer` names the directory that says so, for `declare`.
   */
  accept(
    settingsText: string | undefined,
    usersText: string | undefined,
    declarer?: string,
    how?: AcceptOptions,
  ): Promise<number>;
  /**
   * The same for files that nobody asked to load: `behind`, with nothing changed, when the texts differ from the newest
   * and this declarer has declared them before, or when they were in force before (CLU-13 to CLU-15, D45). So directories
   * whose files merely differ never take turns. Texts that were in force before count all the same when a known declarer
   * takes back the newest, which it declared itself, or when they were `edited` while it ran.
   */
  declare(
    settingsText: string | undefined,
    usersText: string | undefined,
    declarer: string,
    how?: { readonly edited?: boolean } & Pick<AcceptOptions, 'sharedDigest'>,
  ): Promise<number | 'behind'>;
  /**
   * Accepts what a write made of `base`, as `accept` does, while the newest generation still says `base`: else `moved_on`,
   * with nothing changed. So of writes at the same time on several machines one comes into force (CLU-21).
   */
  acceptOver(
    base: ConfigurationTexts,
    texts: ConfigurationTexts,
    declarer: string | undefined,
    anew?: boolean,
  ): Promise<number | 'moved_on'>;
  /** Accepts only when none was accepted yet; answers the newest either way. For workers that boot together. */
  acceptFirst(settingsText: string | undefined, usersText: string | undefined): Promise<AcceptedConfiguration>;
}
