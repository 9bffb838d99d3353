// Many rows in one parameter: as JSON, which the server turns into rows.

/**
 * The server's JSON functions reject characters that its texts cannot hold. So U+0000 becomes its symbol, and half of a
 * surrogate pair becomes the replacement character, as in texts that are sent separately.
 */
export function jsonRows(rows: readonly unknown[]): string {
  return JSON.stringify(rows).replace(/\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g, (escaped) => {
    if (escaped === '\\\\') return escaped;
    return escaped === '\\u0000' ? '\u2400' : '\ufffd';
  });
}
