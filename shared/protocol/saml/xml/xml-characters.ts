// The characters of XML 1.0 (§2.2, §2.3) and how canonical XML escapes them. Text from outside may contain characters
// that XML 1.0 cannot represent, not even as references. They become U+FFFD, so that a document stays well-formed.

const forbiddenCharacter = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;
const forbiddenCharacters = new RegExp(forbiddenCharacter.source, 'gu');

export function hasForbiddenCharacter(text: string): boolean {
  return forbiddenCharacter.test(text);
}

/** Replaces every character that XML 1.0 forbids by U+FFFD, including lone surrogates. */
function allowedCharacters(text: string): string {
  return forbiddenCharacter.test(text) ? text.replace(forbiddenCharacters, '\uFFFD') : text;
}

const textEscapes = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['\r', '&#xD;'],
]);

const attributeEscapes = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['"', '&quot;'],
  ['\t', '&#x9;'],
  ['\n', '&#xA;'],
  ['\r', '&#xD;'],
]);

/** Character data in canonical XML (c14n §2.3, text nodes). */
export function escapeText(text: string): string {
  const allowed = allowedCharacters(text);
  return /[&<>\r]/.test(allowed)
    ? allowed.replace(/[&<>\r]/g, (character) => textEscapes.get(character) ?? character)
    : allowed;
}

/** An attribute's value in canonical XML (c14n §2.3, attribute nodes). */
export function escapeAttribute(value: string): string {
  const allowed = allowedCharacters(value);
  return /[&<"\t\n\r]/.test(allowed)
    ? allowed.replace(/[&<"\t\n\r]/g, (character) => attributeEscapes.get(character) ?? character)
    : allowed;
}

/** Compares by code points, as canonical XML sorts names. The order of UTF-16 units differs above U+FFFF. */
export function compareCodePoints(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return codePointWeight(a) - codePointWeight(b);
  }
  return left.length - right.length;
}

/** Surrogates encode characters above U+FFFF, so they sort after every other unit. */
function codePointWeight(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
