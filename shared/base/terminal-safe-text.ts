// Characters that a terminal would obey, or show turned round, as text that it shows.

const beyondAscii = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const asciiControls = /[\0-\u001f]/g;

/** For text that goes out as JSON, which escapes no more than the first 32. */
export function withoutUnruly(text: string): string {
  return text.replace(beyondAscii, escaped);
}

/** A value as JSON that any terminal may show: such characters stand in it as escapes. */
export function jsonText(value: unknown, indent?: number): string {
  return withoutUnruly(JSON.stringify(value, undefined, indent));
}

/** For text of several lines, as a cell of a table: its line breaks and tabs stay. */
export function asLines(text: string): string {
  return withoutUnruly(text).replace(asciiControls, (one) => (/[\t\r\n]/.test(one) ? one : escaped(one)));
}

/** For text that goes out as it is, on a line of its own. */
export function asOneLine(text: string): string {
  return withoutUnruly(text).replace(asciiControls, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
