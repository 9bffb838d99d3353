// A flow as a Mermaid sequence diagram (REC-20). What a request says is text of a message and nothing else: whatever
// could end a line, begin a statement or be read as markup is written as an entity of Mermaid's.
import type { KeptExchange } from '#shared/model/domain/exchange.ts';
import { linesOf, type Party } from './flow-lines.ts';

const names: Readonly<Record<Party, string>> = { browser: 'B', client: 'C', server: 'S' };

export function flowMermaid(exchanges: readonly KeptExchange[]): string {
  return mermaidWith(mermaidLines(exchanges));
}

/** Of some exchanges of a flow. */
export function mermaidLines(exchanges: readonly KeptExchange[]): readonly string[] {
  return linesOf(exchanges).map(({ from, to, kind, text }) => {
    const arrow = kind === 'request' ? '->>' : kind === 'refusal' ? '--x' : '-->>';
    return `  ${names[from]}${arrow}${names[to]}: ${asText(text)}`;
  });
}

export function mermaidWith(lines: readonly string[]): string {
  const head = [
    'sequenceDiagram',
    '  participant B as Browser',
    '  participant C as Client',
    '  participant S as Server',
  ];
  return `${[...head, ...lines].join('\n')}\n`;
}

/** Letters, digits and a few signs stand as they are. */
function asText(text: string): string {
  const safe = [...text]
    .map((sign) => (/^[\p{L}\p{N} ._/=?&×…,[\]()-]$/u.test(sign) ? sign : `#${sign.codePointAt(0) ?? 0};`))
    .join('');
  return safe === '' ? '-' : safe;
}
