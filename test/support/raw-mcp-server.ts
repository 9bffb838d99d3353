// An MCP server on standard input and output, driven line by line. Every line that it prints must be a message of the
// protocol.
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { newConfigRoot } from './mcp-client.ts';
import { cliPath } from './start-idp.ts';

const message = z.looseObject({ jsonrpc: z.literal('2.0'), id: z.number().optional() });
export type RawMessage = z.output<typeof message>;

export class RawMcpServer {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  readonly configDirectory: string;
  readonly file: (name: string) => string;
  readonly root: string;
  /** Lines of standard output that are not messages, and messages without an id. */
  readonly notProtocol: string[] = [];
  readonly notifications: RawMessage[] = [];
  readonly answered = new Set<number>();
  log = '';
  #answers = new Map<number, (answer: RawMessage) => void>();
  #nextId = 0;

  constructor(options: Parameters<typeof newConfigRoot>[0] = {}, { reading = true } = {}) {
    const made = newConfigRoot(options);
    this.root = made.root;
    this.configDirectory = made.configDirectory;
    this.file = made.file;
    const args = [cliPath, 'mcp', '--config-dir', made.configDirectory, ...(options?.args ?? [])];
    this.child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.exited = new Promise((resolve) => this.child.once('close', resolve));
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.log += chunk.toString('utf8');
    });
    this.child.stdin?.on('error', () => {});
    if (reading) this.read();
  }

  /** Starts reading the server's output. Called automatically unless `reading` is false. */
  read(): void {
    if (this.child.stdout === null) throw new Error('standard output is not piped');
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      const read = message.safeParse(jsonOf(line));
      if (!read.success) this.notProtocol.push(line);
      else if (read.data.id === undefined) this.notifications.push(read.data);
      else {
        this.answered.add(read.data.id);
        this.#answers.get(read.data.id)?.(read.data);
      }
    });
  }

  async start(): Promise<this> {
    await this.initialize('2025-06-18');
    this.notify('notifications/initialized');
    return this;
  }

  initialize(protocolVersion: string): Promise<RawMessage> {
    return this.request('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } });
  }

  write(text: string): void {
    this.child.stdin?.write(text);
  }

  notify(method: string, params: object = {}): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`);
  }

  /** The id of the next request. */
  get nextId(): number {
    return this.#nextId + 1;
  }

  request(method: string, params: object): Promise<RawMessage> {
    this.#nextId += 1;
    const id = this.#nextId;
    const answer = new Promise<RawMessage>((resolve) => this.#answers.set(id, resolve));
    this.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answer;
  }

  async call(name: string, args: object): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.request('tools/call', { name, arguments: args });
    const { content } = z.object({ content: z.tuple([z.object({ text: z.string() })]) }).parse(answer.result);
    return z.record(z.string(), z.unknown()).parse(JSON.parse(content[0].text));
  }

  /** Closes its input as an editor does, and returns the exit code. */
  async stop(): Promise<number | null> {
    this.child.stdin?.end();
    const code = await this.exited;
    this.remove();
    return code;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
