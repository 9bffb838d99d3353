/** The text with a period at its end, unless it already ends like a sentence. */
export function asSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
