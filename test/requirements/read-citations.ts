// Finds the calls of `verifies` in the tests, and the ids that they cite. It reads sources instead of running tests, so
// the ids must be literals. A call that it cannot read is a fault.
import { codeOf, lineAt, type SourceFile } from '#test/support/source-text.ts';
import type { Citation } from './check-requirements.ts';

interface Citations {
  readonly citations: readonly Citation[];
  readonly faults: readonly string[];
}

const call = /\bverifies\(\s*/g;
const literalIds = /^(?:'([^'\n]*)'|"([^"\n]*)"|\[([^\]]*)\])\s*,/;

export function readCitations(files: readonly SourceFile[]): Citations {
  const citations: Citation[] = [];
  const faults: string[] = [];
  for (const { path, text } of files) {
    const code = codeOf(text, { keepStrings: true });
    for (const match of code.matchAll(call)) {
      if (/\bfunction\s+$/.test(code.slice(0, match.index))) continue;
      const where = `${path}:${lineAt(code, match.index)}`;
      const [found, single, double, list] = literalIds.exec(code.slice(match.index + match[0].length)) ?? [];
      const ids = list === undefined ? [single ?? double ?? ''] : idsOfList(list);
      if (found === undefined || ids === undefined) faults.push(`${where} calls verifies without literal ids`);
      else citations.push(...ids.map((id) => ({ id, where })));
    }
  }
  return { citations, faults };
}

/** undefined: an element of the list is not a string literal. */
function idsOfList(list: string): string[] | undefined {
  const items = list.split(',').map((item) => item.trim());
  if (items.at(-1) === '') items.pop();
  const ids = items.map((item) => /^(['"])([^'"]*)\1$/.exec(item)?.[2]);
  return ids.length > 0 && ids.every((id) => id !== undefined) ? ids : undefined;
}
