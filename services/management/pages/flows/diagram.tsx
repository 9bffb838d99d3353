// A flow as a sequence diagram, drawn on the server: it is complete without a script, and all its texts are real text
// (REC-21, REC-23).

import { type FlowLine, linesOf, type Party } from '#shared/engine/recorder/flow-diagram.ts';
import { exchangeId } from '#shared/engine/recorder/show-exchange.ts';
import type { KeptExchange } from '#shared/model/domain/exchange.ts';

const columns: Readonly<Record<Party, { readonly x: number; readonly label: string }>> = {
  browser: { x: 40, label: 'Browser' },
  client: { x: 150, label: 'Client' },
  server: { x: 560, label: 'Identity provider' },
};
const width = 640;
const headHeight = 44;
const lineHeight = 40;
const arrow = 7;
/** The number of characters that fit above an arrow. */
const textMax = 52;

interface DiagramProps {
  readonly title: string;
  readonly description: string;
  readonly exchanges: readonly KeptExchange[];
}

export function FlowDiagram({ title, description, exchanges }: DiagramProps) {
  const lines = linesOf(exchanges);
  const height = headHeight + lines.length * lineHeight + 20;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is moved sideways must be moved by keys, too.
    <section class="flow-diagram" aria-label="Sequence diagram" tabIndex={0}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        aria-labelledby="flow-title flow-description"
      >
        <title id="flow-title">{title}</title>
        <desc id="flow-description">{description}</desc>
        {Object.values(columns).map(({ x, label }) => (
          <g key={label}>
            <line class="flow-life" x1={x} y1={headHeight - 12} x2={x} y2={height - 8} />
            <text class="flow-party" x={x} y={20} text-anchor="middle">
              {label}
            </text>
          </g>
        ))}
        {lines.map((line, index) => (
          <Arrow key={String(index)} line={line} y={headHeight + (index + 1) * lineHeight - 8} />
        ))}
      </svg>
    </section>
  );
}

function Arrow({ line, y }: { readonly line: FlowLine; readonly y: number }) {
  const [from, to] = [columns[line.from].x, columns[line.to].x];
  const back = to > from ? -arrow : arrow;
  return (
    <a href={`#${exchangeId(line.exchange.id)}`} class={`flow-line flow-${line.kind}`}>
      <line x1={from} y1={y} x2={to} y2={y} />
      <path d={`M${to + back} ${y - arrow / 1.4}L${to} ${y}L${to + back} ${y + arrow / 1.4}`} />
      <text x={Math.min(from, to) + 12} y={y - 7}>
        {line.text.length <= textMax ? line.text : `${line.text.slice(0, textMax - 1)}…`}
      </text>
    </a>
  );
}
