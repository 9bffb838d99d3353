// Runs a front end alone, in the foreground, without a supervisor (CLI-05).
import { type BootWorker, runWorker } from '#shared/process/worker/run-worker.ts';
import { announceReady } from './announce-ready.ts';
import { readOptions, startOf } from './command-line.ts';
import { optionsOf } from './options.ts';
import { openReadyFile } from './ready-file.ts';

/** `load`: imports its code, after the options were parsed. */
export async function runFrontendAlone(
  frontend: 'oidc' | 'saml',
  args: readonly string[],
  load: () => Promise<BootWorker>,
): Promise<number> {
  const values = readOptions(args, optionsOf[frontend]);
  const start = { ...startOf(values), runBeforeLoadHook: true };
  const file = openReadyFile(values['ready-file']);
  const code = await runWorker(frontend, await load(), {
    start,
    onReady: (baseUrl, caFile) => {
      if (baseUrl !== undefined) announceReady({ baseUrl, caFile }, { asJson: values['ready-json'] === true, file });
    },
  });
  file?.remove();
  return code;
}
