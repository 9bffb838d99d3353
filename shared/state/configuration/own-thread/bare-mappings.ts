// Mappings whose keys come from outside have no prototype, but the copy between threads gives them one. The sender
// therefore lists these mappings, in the order of a walk that both sides make.

/** Whether each mapping of a value, in the order of the walk, has no prototype. */
export function bareMappings(value: unknown): Uint8Array {
  const found: number[] = [];
  walk(value, (mapping) => found.push(Object.getPrototypeOf(mapping) === null ? 1 : 0));
  return Uint8Array.from(found);
}

/** Removes the prototypes of a copy again. */
export function restoreBareMappings(copy: unknown, bare: Uint8Array): void {
  let index = 0;
  walk(copy, (mapping) => {
    if (bare[index] === 1) Object.setPrototypeOf(mapping, null);
    index += 1;
  });
}

function walk(root: unknown, visit: (mapping: object) => void): void {
  // A copy keeps an object that occurs twice as one object, so both sides visit the same objects in the same order.
  const seen = new Set<object>();
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const member of membersOf(value, visit)) waiting.push(member);
  }
}

/** One by one: a file of 2 MiB contains more items than one call can take as arguments. */
function membersOf(value: object, visit: (mapping: object) => void): Iterable<unknown> {
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return value.values();
  visit(value);
  return Object.values(value);
}
