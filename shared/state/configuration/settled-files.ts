// Tells an edit of the files from files that merely stayed what they were while something newer came into force (CLU-15).

export class SettledFiles {
  #content: string | undefined;

  /** The content key of the files as the process found them when it started; undefined: they could not be read. */
  constructor(content: string | undefined) {
    this.#content = content;
  }

  /** The store knows that the files say this, or that they are behind. */
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
