// A message that cannot be read as XML, or only by doing what this program never does (entities, other encodings).

/** `message` says what is wrong and at which line; it never repeats the document. */
export class XmlUnreadableError extends Error {
  /** Where it is wrong, counted from 1; undefined when the whole is. */
  readonly place: { readonly line: number; readonly column: number } | undefined;
  /** What is wrong, reading on after the name of a document. */
  readonly what: string | undefined;

  constructor(
    message: string,
    { place, what, cause }: { place?: { line: number; column: number }; what?: string; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.place = place;
    this.what = what;
  }
}
