/** The text with a period at its end, unless it already ends like a sentence. */
export function asSentence(text: string): string {
  return /[.?!…]$/.test(text) ? text : `${text}.`;
}

/** One text unchanged, several as sentences. */
export function joinSentences(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] ?? '') : texts.map(asSentence).join(' ');
}
