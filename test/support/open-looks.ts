// What is looked after again and again in this process: each such look belongs to something that is open.
import { mock } from 'node:test';

/** Those that began since; `mock.restoreAll` ends the counting. */
export function countLooks(): ReadonlySet<unknown> {
  const looks = new Set<unknown>();
  const { setInterval: begin, clearInterval: end } = globalThis;
  mock.method(globalThis, 'setInterval', (look: () => void, milliseconds: number) => {
    const timer = begin(look, milliseconds);
    looks.add(timer);
    return timer;
  });
  mock.method(globalThis, 'clearInterval', (timer: NodeJS.Timeout | undefined) => {
    looks.delete(timer);
    end(timer);
  });
  return looks;
}
