// Replaces characters that a terminal would execute or that reverse the shown text.

const beyondAscii = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const asciiControls = /[\0-\u001f]/g;

/** For text that is sent as JSON, which escapes only the first 32 characters. */
export function escapedForJsonLog(text: string): string {
  return text.replace(beyondAscii, escaped);
}

/** A value as JSON that is safe on any terminal: the characters above are written as escapes. */
export function jsonText(value: unknown, indent?: number): string {
  return escapedForJsonLog(JSON.stringify(value, undefined, indent));
}

/** For text of several lines, such as a table cell. Its line breaks and tabs are kept. */
export function asLines(text: string): string {
  return escapedForJsonLog(text).replace(asciiControls, (one) => (/[\t\r\n]/.test(one) ? one : escaped(one)));
}

/** For text that is shown unchanged on one line. */
export function asOneLine(text: string): string {
  return escapedForJsonLog(text).replace(asciiControls, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
