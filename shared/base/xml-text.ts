// Text for XML 1.0, which cannot represent most control characters.

/** For element content and for attributes between double quotes. */
export function xmlText(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '�')
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
