// Standard output is for the protocol alone (MCP-01). After this, other code that prints in this process, such as a
// plugin or a library with console.log, writes to standard error.
import { Writable } from 'node:stream';

/** The stream for protocol messages. Call it once, before loading any code that might print. */
export function claimStandardOutput(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // A pipe that the editor closed ends the connection. The writer gets the error by its callback.
  stdout.on('error', () => {});
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => {
      write(chunk, (error) => done(error));
    },
  });
}
