// A part of a document that `npm run docs` writes, between two marker lines. Everything else is written by hand.
interface WrittenPart {
  /** The name of the document, for an error about a missing marker. */
  readonly path: string;
  readonly begin: string;
  readonly end: string;
}

/** The document with `text` as that part. @throws Error when it has no place for it. */
export function withWrittenPart(document: string, { path, begin, end }: WrittenPart, text: string): string {
  const from = document.indexOf(begin);
  const to = document.indexOf(end, from);
  if (from < 0 || to < from) throw new Error(`${path} must have the lines ${begin} and ${end}`);
  return `${document.slice(0, from)}${begin}\n\n${text}\n${document.slice(to)}`;
}
