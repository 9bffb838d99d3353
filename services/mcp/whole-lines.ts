// Standard input in whole lines. The SDK copies its whole buffer for each chunk that arrives, which takes seconds for
// an argument of some megabytes. Here a line is assembled once.
import { Transform } from 'node:stream';
import { GrowingBuffer } from '#shared/base/bounded-body.ts';

const newline = 0x0a;

/** Emits complete lines only. A line beyond `bytesMax` ends the stream with an error. */
export function wholeLines(bytesMax: number): Transform {
  const kept = new GrowingBuffer();
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const end = chunk.lastIndexOf(newline) + 1;
      if (end > 0) {
        kept.append(chunk.subarray(0, end));
        this.push(kept.take());
      }
      if (end < chunk.length) kept.append(chunk.subarray(end));
      done(kept.length > bytesMax ? new Error(`a message has more than ${bytesMax} bytes`) : null);
    },
    // Text after the last newline is not a message.
  });
}
