// `test-idp start`: the whole stack under a supervisor (CLI-04).

import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { systemClock, systemStopwatch } from '#shared/base/clock.ts';
import { runHooksBeforeWorkers } from '#shared/process/worker/hooks-before-workers.ts';
import { oidcWorkersMax } from '#shared/process/worker/oidc-workers.ts';
import { runStack } from '#supervisor/main.ts';
import { announceReady, type ReadyUrls } from './announce-ready.ts';
import { defaultsOfPlace, portNumber, readOptions, startOf } from './command-line.ts';
import { optionsOf } from './options.ts';
import { openReadyFile } from './ready-file.ts';
import { UsageError } from './usage-error.ts';

export async function run(args: readonly string[]): Promise<number> {
  const values = readOptions(args, optionsOf.start);
  const start = startOf(values);
  const workers = workerCount(values['oidc-workers'] ?? '1');
  const { host: mcpHost = '127.0.0.1', mcpPort: usualMcpPort = 0 } = defaultsOfPlace();
  const mcpPort = values['mcp-port'] === undefined ? usualMcpPort : portNumber('--mcp-port', values['mcp-port']);
  const file = openReadyFile(values['ready-file']);
  const screen = values.quiet === true ? undefined : (urls: ReadyUrls) => showFirstScreen(urls, start);
  const code = await runStack({
    start,
    oidcWorkers: workers,
    mcpHost,
    mcpPort,
    demo: values.demo === true,
    workerDirectory: fileURLToPath(new URL('.', import.meta.url)),
    clock: systemClock,
    stopwatch: systemStopwatch,
    beforeWorkers: () => runHooksBeforeWorkers(start),
    onReady: (urls) => announceReady(urls, { asJson: values['ready-json'] === true, file, screen }),
  });
  file?.remove();
  return code;
}

/** Only a terminal needs it. So only then this process, which serves no requests, reads the files again. */
async function showFirstScreen(urls: ReadyUrls, start: ReturnType<typeof startOf>): Promise<string> {
  const [{ firstScreen, takesColours }, { loadDirectory }, { problemsOfFault }, { version }] = await Promise.all([
    import('./first-screen.ts'),
    import('#shared/state/configuration/load/load-directory.ts'),
    import('#shared/engine/faults/read-fault-order.ts'),
    import('#shared/base/version.ts'),
  ]);
  const { configDirectory: directory, profile: profileOverride, tls: tlsInForce } = start;
  const overrides = { profileOverride, tlsInForce };
  const { configuration: declared } = loadDirectory({
    directory,
    environment: process.env,
    problemsOfFault,
    ...overrides,
  });
  return firstScreen({ version, urls, declared, colours: takesColours(process.env) });
}

function workerCount(text: string): number {
  if (text === 'auto') return availableParallelism();
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > oidcWorkersMax) {
    throw new UsageError(`--oidc-workers must be a number from 1 to ${oidcWorkersMax}, or auto, not '${text}'`);
  }
  return count;
}
