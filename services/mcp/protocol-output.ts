// Standard output belongs to the protocol alone (MCP-01). Whoever else prints there in this process, a plugin or a
// library with console.log, writes to standard error from then on.
import { Writable } from 'node:stream';

/** The stream for protocol messages. Call it once, before anything that might print is loaded. */
export function claimStandardOutput(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // A pipe that the editor closed is the end of the connection; whoever writes learns of it by the callback.
  stdout.on('error', () => {});
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => {
      write(chunk, (error) => done(error));
    },
  });
}
