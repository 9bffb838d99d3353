// The errors of metadata, each with its line and a mark at its column.
import type { MetadataFinding } from '#shared/state/configuration/service-providers/read-metadata.ts';
import { Card } from '#shared/web/pages/components/card.tsx';
import { Tag } from '#shared/web/pages/components/tag.tsx';
import { countText } from '../count-text.ts';

/** The number of characters shown around the column: metadata may be a single line. */
const before = 32;
const after = 96;

interface MetadataFindingsProps {
  readonly findings: readonly MetadataFinding[];
  readonly source: string;
}

export function MetadataFindings({ findings, source }: MetadataFindingsProps) {
  if (findings.length === 0) return null;
  const lines = source.split(/\r\n|\r|\n/);
  const errors = findings.filter(({ level }) => level === 'error').length;
  return (
    <Card
      title="Findings"
      lead={[counted(errors, 'error'), counted(findings.length - errors, 'warning')].filter(Boolean).join(', ')}
    >
      <ol class="findings">
        {findings.map(({ level, line, column, message }) => (
          <li key={`${line}:${column}:${message}`} class="finding">
            <p class="row">
              <Tag kind={level === 'error' ? 'bad' : 'warn'}>{level}</Tag>
              <span class="soft small nowrap">
                line {line}, column {column}
              </span>
            </p>
            <p>{message}</p>
            <Excerpt line={lines[line - 1] ?? ''} column={column} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function counted(count: number, noun: string): string {
  return count === 0 ? '' : `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function Excerpt({ line, column }: { readonly line: string; readonly column: number }) {
  if (line.trim() === '') return null;
  const at = Math.min(column - 1, Math.max(line.length - 1, 0));
  const start = Math.max(at - before, 0);
  const end = at + after;
  // The mark covers the item that begins there: an attribute with its value, or the name of an element.
  const marked = /^<?[^\s<>=]*(="[^"]*")?/.exec(line.slice(at, end))?.[0] ?? '';
  return (
    <pre class="finding-line">
      <code>
        {start > 0 ? '…' : ''}
        {line.slice(start, at).trimStart()}
        <mark>{marked}</mark>
        {line.slice(at + marked.length, end)}
        {end < line.length ? '…' : ''}
      </code>
    </pre>
  );
}
