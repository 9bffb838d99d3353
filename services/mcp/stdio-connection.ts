// MCP over standard input and output: one client for the life of the process, in either revision of the protocol.
import { Readable, type Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { mcpMessageBytesMax } from '#shared/model/refusals/families/mcp.ts';
import { createMcpServer, type McpServerOptions } from './server.ts';
import { wholeLines } from './whole-lines.ts';

interface StdioConnection {
  /** Resolves when the parent process has closed the pipe, or the connection broke. */
  readonly ended: Promise<void>;
  /** Reads no further message. Earlier requests still get their responses. */
  stopReading(): void;
  /** Resolves when every response has left this process, or the reader is gone. */
  flushed(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Speaks MCP over a pair of streams. The first message selects the revision: `initialize`, or a request with `_meta`.
 */
export function serveStreams(input: Readable, output: Writable, options: McpServerOptions): StdioConnection {
  // Many responses may wait for the pipe to drain at the same time.
  output.setMaxListeners(0);
  const lines = wholeLines(mcpMessageBytesMax);
  const ended = new Promise<void>((resolve) => {
    lines.once('end', resolve).once('close', resolve);
    output.once('error', () => resolve()).once('close', resolve);
  });
  const onerror = (error: Error) => {
    // The editor has exited, so this is not the error of a message.
    if (output.errored === null) options.log.warn({ err: error }, 'ignored a message that is not an MCP message');
  };
  // A line may have that many bytes, and one chunk several lines.
  const transport = new StdioServerTransport(withoutEnd(lines), output, { maxBufferSize: 2 * mcpMessageBytesMax });
  const handle = serveStdio(() => createMcpServer(options, onerror), { transport, onerror });
  input.pipe(lines);
  input.once('close', () => lines.end());
  return {
    ended,
    stopReading: () => void input.unpipe(lines).pause(),
    async flushed() {
      // The response of a call that has just ended is written in this turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise<void>((resolve) => output.write('', () => resolve()));
    },
    close: () => handle.close(),
  };
}

/**
 * The SDK's transport aborts calls in flight when its input ends. An editor that closes the pipe still gets responses.
 */
function withoutEnd(source: Readable): Readable {
  const copy = new Readable({ read() {} });
  source.on('data', (chunk: Buffer) => copy.push(chunk)).once('error', (error) => copy.destroy(error));
  return copy;
}
