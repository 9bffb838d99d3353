// The sentence for an unknown name, the same on every surface (LNG-05).
import { likelyName } from './nearest-name.ts';

/** `field`: REST, MCP and entries of the start API. `key`: files. `option`: command line and start API. */
type NamedThing = 'field' | 'key' | 'option' | 'query parameter' | 'command' | 'fault';

const namesShownMax = 8;

/** `Unknown field "advance" for the clock. Did you mean "advance_seconds"?` */
export function unknownName(what: NamedThing, written: string, known: Iterable<string>, place?: string): string {
  const names = [...known];
  return unknownNameNear(what, written, likelyName(written, names), names, place);
}

/** The same, where the caller has found the near name. */
export function unknownNameNear(
  what: NamedThing,
  written: string,
  near: string | undefined,
  known: readonly string[],
  place?: string,
): string {
  const where = place === undefined ? '' : ` for ${place}`;
  return `Unknown ${what} ${JSON.stringify(written)}${where}.${suggestion(near, known)}`;
}

/** Whether a message is a sentence of its own, so that it does not continue after the name of its place. */
export function isWholeSentence(message: string): boolean {
  return message.startsWith('Unknown ');
}

function suggestion(near: string | undefined, known: readonly string[]): string {
  if (near !== undefined) return ` Did you mean ${JSON.stringify(near)}?`;
  if (known.length === 0) return '';
  const shown = known.slice(0, namesShownMax).join(', ');
  return ` Known: ${shown}${known.length > namesShownMax ? ', …' : '.'}`;
}
