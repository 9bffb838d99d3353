// An MCP client with a real server: over standard input and output as an editor starts it, or over Streamable HTTP as the
// stack serves it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { z } from 'zod';
import { cliPath } from './start-idp.ts';
import { demoSettings, demoUsers } from './worlds.ts';

/** The JSON object of a result, with the protocol's error flag. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly result: Readonly<Record<string, unknown>>;
}

export interface McpConnection {
  readonly client: Client;
  /** Calls a tool and checks the envelope: one text item of JSON, isError exactly for failures (MCP-16). */
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
  /** The same for a call that must succeed. */
  ok(name: string, args?: Readonly<Record<string, unknown>>): Promise<ToolAnswer['result']>;
  close(): Promise<void>;
}

const envelope = z.object({
  content: z.tuple([z.strictObject({ type: z.literal('text'), text: z.string() })]),
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
});

const jsonObject = z.record(z.string(), z.unknown());

export async function connect(transport: Transport): Promise<McpConnection> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  // After this, the client validates structured results against the published output schemas.
  await client.listTools();
  const call = async (name: string, args: Readonly<Record<string, unknown>> = {}): Promise<ToolAnswer> => {
    const answer = envelope.parse(await client.callTool({ name, arguments: { ...args } }));
    const result = jsonObject.parse(JSON.parse(answer.content[0].text));
    const isError = answer.isError === true;
    expect(isError, JSON.stringify(result)).to.equal(result.success === false || 'error' in result);
    if (!isError) expect(answer.structuredContent).to.deep.equal(result);
    return { isError, result };
  };
  return {
    client,
    call,
    async ok(name, args) {
      const { isError, result } = await call(name, args);
      expect(isError, `${name}: ${JSON.stringify(result)}`).to.equal(false);
      return result;
    },
    close: () => client.close(),
  };
}

export interface StdioMcp extends McpConnection {
  readonly root: string;
  readonly configDirectory: string;
  readonly pid: number;
  log(): string;
  file(name: 'settings.yaml' | 'users.yaml'): string;
  write(name: 'settings.yaml' | 'users.yaml', content: string | object): void;
  /** Closes the connection and removes the directory. */
  stop(): Promise<void>;
}

interface McpOptions {
  /** null: no such file. */
  readonly settings?: string | object | null;
  readonly users?: string | object | null;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A new directory with the files, for a server that the test starts itself. */
export function newConfigRoot({ settings = demoSettings, users = demoUsers }: McpOptions = {}) {
  const root = mkdtempSync(join(tmpdir(), 'test-idp-mcp-'));
  const configDirectory = join(root, 'config');
  mkdirSync(configDirectory);
  const path = (name: string) => join(configDirectory, name);
  const write = (name: 'settings.yaml' | 'users.yaml', content: string | object) =>
    writeFileSync(path(name), typeof content === 'string' ? content : stringify(content));
  if (settings !== null) write('settings.yaml', settings);
  if (users !== null) write('users.yaml', users);
  return { root, configDirectory, write, file: (name: string) => readFileSync(path(name), 'utf8') };
}

export async function startMcp(options: McpOptions = {}): Promise<StdioMcp> {
  const { root, configDirectory, write, file } = newConfigRoot(options);
  let log = '';
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cliPath, 'mcp', '--config-dir', configDirectory, ...(options.args ?? [])],
    env: { PATH: process.env.PATH ?? '', ...options.env },
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString('utf8');
  });
  const connection = await connect(transport);
  return {
    ...connection,
    root,
    configDirectory,
    pid: transport.pid ?? 0,
    log: () => log,
    file,
    write,
    async stop() {
      await connection.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export function connectHttp(url: string): Promise<McpConnection> {
  return connect(new StreamableHTTPClientTransport(new URL(url)));
}
