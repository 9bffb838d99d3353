// Many rows in one parameter: as JSON, which the server turns into rows.

/**
 * The server's functions refuse what its texts cannot hold: a U+0000 leaves its symbol, and half of a surrogate pair the
 * replacement character, as with texts that are sent alone.
 */
export function jsonRows(rows: readonly unknown[]): string {
  return JSON.stringify(rows).replace(/\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g, (escaped) => {
    if (escaped === '\\\\') return escaped;
    return escaped === '\\u0000' ? '\u2400' : '\ufffd';
  });
}
