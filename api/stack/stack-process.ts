// PROCESS: the supervisor of a stack that a test started. It runs the same program as `test-idp start`, but gets its
// options by message. It ends when the process that started it ends, however that happens (API-09, API-32).
import { fileURLToPath } from 'node:url';
import { systemClock, systemStopwatch } from '#shared/base/clock.ts';
import { createLogger } from '#shared/base/logger.ts';
import { logSecrets } from '#shared/model/secrets/what-is-secret.ts';
import { runHooksBeforeWorkers } from '#shared/process/worker/hooks-before-workers.ts';
import { readPrivateKey } from '#shared/state/keys/key-pair.ts';
import { openDirectoryKeys } from '#shared/state/keys/open-directory-keys.ts';
import { runStack } from '#supervisor/main.ts';
import { addressRemedies } from '../address-remedies.ts';
import type { PemKeys } from '../types.ts';
import type { StackFailed, StackOrder, StackReady } from './messages.ts';

process.once('message', (order: StackOrder) => void obey(order));
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

async function obey({ start, oidcWorkers, mcpPort, keys }: StackOrder): Promise<void> {
  const code = await runStack({
    start,
    oidcWorkers,
    remedies: addressRemedies,
    mcpHost: '127.0.0.1',
    mcpPort,
    workerDirectory: fileURLToPath(new URL('.', import.meta.url)),
    clock: systemClock,
    stopwatch: systemStopwatch,
    beforeWorkers: async ({ keysDirectory }) => {
      await runHooksBeforeWorkers(start);
      if (keys !== undefined && keysDirectory !== undefined) await publish(keys, keysDirectory);
    },
    onReady: ({ baseUrl, mcpUrl }) => {
      const ready: StackReady = { baseUrl, mcpUrl };
      process.send?.(ready);
    },
    onFailed: (failure) => {
      const failed: StackFailed = { failed: failure };
      process.send?.(failed);
    },
  });
  process.exit(code);
}

/** In the stack's private directory, where its workers find it as the first key. */
async function publish({ privateKey }: PemKeys, directory: string): Promise<void> {
  const log = createLogger({ name: 'test-idp supervisor', level: 'silent', secrets: logSecrets });
  const machine = { clock: systemClock, stopwatch: systemStopwatch, log };
  await openDirectoryKeys(directory, 0, { ...machine, drawKeyPair: async () => readPrivateKey(privateKey) });
}
