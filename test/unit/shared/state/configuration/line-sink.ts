// A stream for a logger that stores every line, for tests of log messages.
import { Writable } from 'node:stream';

export function lineSink(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
}
