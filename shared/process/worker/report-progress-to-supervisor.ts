// A busy worker is not a stuck worker. Under load the event loop may work longer than the supervisor waits before it
// reads the next ping. So a worker also reports without a ping, each time an HTTP request begins or gets its response.
// A hanging loop or a stopped process does neither, and is detected (SUP-08). The message is sent immediately from the
// code that runs, so no thread is needed.
import { subscribe } from 'node:diagnostics_channel';
import type { Stopwatch } from '#shared/base/clock.ts';

const pauseMilliseconds = 1_000;

/** Calls `tell` at most once a second, and only while requests make progress. */
export function reportProgressToSupervisor(tell: () => void, stopwatch: Stopwatch): void {
  let last = stopwatch.read();
  const progress = () => {
    if (stopwatch.since(last) < pauseMilliseconds) return;
    last = stopwatch.read();
    tell();
  };
  // Node's own diagnostics channels: requests get no extra code.
  subscribe('http.server.request.start', progress);
  subscribe('http.server.response.finish', progress);
}
