// A message that cannot be read as XML, or only by doing what this program never does (entities, other encodings).

/** `message` says what is wrong and at which line; it never repeats the document. */
export class XmlUnreadableError extends Error {}
