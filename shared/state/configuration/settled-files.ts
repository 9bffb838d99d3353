// Distinguishes an edit of the files from files that are unchanged while a newer configuration was activated (CLU-15).

export class SettledFiles {
  #content: string | undefined;

  /** The content key of the files at the start of the process; undefined: they could not be read. */
  constructor(content: string | undefined) {
    this.#content = content;
  }

  /** The store knows this content of the files, or that they are behind. */
  settle(content: string): void {
    this.#content = content;
  }

  isSettled(content: string): boolean {
    return this.#content === content;
  }

  /** Whether the files changed while this process ran. */
  isEdited(content: string): boolean {
    return this.#content !== undefined && this.#content !== content;
  }
}
