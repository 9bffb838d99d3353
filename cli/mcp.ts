// `test-idp mcp`: only the MCP server, on standard input and output, as an editor starts it (CLI-05, MCP-01). Standard
// output belongs to the protocol, so nothing is announced.
import { runWorker } from '#shared/process/worker/run-worker.ts';
import { readOptions, startOf } from './command-line.ts';
import { optionsOf } from './options.ts';

export async function run(args: readonly string[]): Promise<number> {
  const values = readOptions(args, optionsOf.mcp);
  const readonly = values.readonly === true ? { readonly: true } : {};
  const start = { ...startOf(values), ...readonly, runBeforeLoadHook: true };
  const { bootMcp } = await import('#services/mcp/main.ts');
  return runWorker('mcp', bootMcp, { start, onReady: () => {} });
}
