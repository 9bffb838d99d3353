// Import cycles: files that cannot be understood, moved or loaded without each other.
import type { Import } from './imports.ts';

/** Each set of files that import each other, including types, as one shortest cycle: `a → b → a`. */
export function importCircles(imports: readonly Pick<Import, 'from' | 'to'>[]): string[] {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of imports) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  const circles: string[] = [];
  const reported = new Set<string>();
  for (const file of [...targets.keys()].sort()) {
    if (reported.has(file)) continue;
    const way = wayBack(file, targets);
    if (way === undefined) continue;
    for (const member of way) reported.add(member);
    circles.push([...way, file].join(' → '));
  }
  return circles;
}

/** The shortest path from a file to itself, without its end. */
function wayBack(start: string, targets: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const next = [start];
  for (const file of next) {
    for (const target of targets.get(file) ?? []) {
      if (target === start) {
        const way = [file];
        for (let step = file; step !== start; ) {
          step = cameFrom.get(step) ?? start;
          way.unshift(step);
        }
        return way;
      }
      if (cameFrom.has(target)) continue;
      cameFrom.set(target, file);
      next.push(target);
    }
  }
  return undefined;
}
