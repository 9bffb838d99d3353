// Addresses as a header may hold them: files and requests may write them with any character.

/** Every character that no header line may hold is percent-encoded; what is ASCII already stays as it is. */
export function asciiUri(uri: string): string {
  return uri.replace(/[^\x21-\x7e]+/gu, percentEncoded);
}

/** A blank becomes %20, which readers of forms and of URIs understand alike. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}
