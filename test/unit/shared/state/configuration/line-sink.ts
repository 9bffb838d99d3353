// A stream for a logger that keeps every line, for tests that look at what is said.
import { Writable } from 'node:stream';

export function lineSink(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
}
