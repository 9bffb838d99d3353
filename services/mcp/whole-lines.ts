// Standard input in whole lines. The SDK's buffer copies everything it holds for each chunk that arrives, which takes
// seconds for an argument of some megabytes; here a line is put together once.
import { Transform } from 'node:stream';

const newline = 0x0a;

/** Hands on complete lines only; a line beyond `bytesMax` ends the stream with an error. */
export function wholeLines(bytesMax: number): Transform {
  let kept: Buffer[] = [];
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const end = chunk.lastIndexOf(newline) + 1;
      if (end > 0) {
        const lines = [...kept, chunk.subarray(0, end)];
        kept = [];
        length = 0;
        this.push(lines.length === 1 ? lines[0] : Buffer.concat(lines));
      }
      if (end < chunk.length) {
        kept.push(chunk.subarray(end));
        length += chunk.length - end;
      }
      done(length > bytesMax ? new Error(`a message has more than ${bytesMax} bytes`) : null);
    },
    // What comes after the last newline is no message.
  });
}
