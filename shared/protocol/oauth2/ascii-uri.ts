// Makes addresses fit for a header. Files and requests may contain any character in them.

/** Percent-encodes every character that is not allowed in a header line. Printable ASCII is unchanged. */
export function asciiUri(uri: string): string {
  return uri.replace(/[^\x21-\x7e]+/gu, percentEncoded);
}

/** A space becomes %20, which form decoders and URI decoders both read as a space. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}
