// Busy is not stuck. When much arrives at once the event loop works through all of it before it reads the next ping, which
// may take longer than the supervisor waits. So a worker also answers without being asked, each time an HTTP request begins
// or is answered: a loop that hangs in one piece of work, or a stopped process, does neither, and falls silent (SUP-08).
// The message leaves at once, from within the piece of work that is under way; no thread is needed for it.
import { subscribe } from 'node:diagnostics_channel';
import type { Stopwatch } from '#shared/base/clock.ts';

const pauseMilliseconds = 1_000;

/** Calls `tell` at most once a second, and only while requests make progress. */
export function giveSignsOfLife(tell: () => void, stopwatch: Stopwatch): void {
  let last = stopwatch.read();
  const progress = () => {
    if (stopwatch.since(last) < pauseMilliseconds) return;
    last = stopwatch.read();
    tell();
  };
  // Node's own announcements: nothing is added to any request.
  subscribe('http.server.request.start', progress);
  subscribe('http.server.response.finish', progress);
}
