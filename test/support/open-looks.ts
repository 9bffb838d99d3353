// Counts the interval timers of this process. Each must belong to something that is open.
import { mock } from 'node:test';

/** The timers that started since this call. `mock.restoreAll` ends the counting. */
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
