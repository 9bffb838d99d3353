// A message that is not readable as XML, or only with features that this program never uses (entities, other
// encodings).

/** `message` names the problem and the line. It never repeats the document. */
export class XmlUnreadableError extends Error {
  /** The position of the problem, counted from 1. undefined when the whole document is unreadable. */
  readonly place: { readonly line: number; readonly column: number } | undefined;
  /** The problem, as the continuation of a sentence that starts with the document's name. */
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
