/** The text with a period at its end, unless it already ends like a sentence. */
export function asSentence(text: string): string {
  return /[.?!…]$/.test(text) ? text : `${text}.`;
}

/** One text unchanged, several as sentences. */
export function joinSentences(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] ?? '') : texts.map(asSentence).join(' ');
}

/** `times must be 1 or more`. A message that does not continue the sentence follows a colon: `times: Too small`. */
export function aboutField(field: string, message: string): string {
  return /^(must|is|has|requires|excludes) /.test(message) ? `${field} ${message}` : `${field}: ${message}`;
}
