// `test-idp oidc`: the OIDC frontend with REST API and web UI alone, in the foreground, without a supervisor (CLI-05).
import { runWorker } from '#shared/worker/run-worker.ts';
import { announceReady } from './announce-ready.ts';
import { readOptions, startOf } from './command-line.ts';
import { optionsOf } from './options.ts';
import { openReadyFile } from './ready-file.ts';

export async function run(args: readonly string[]): Promise<number> {
  const values = readOptions(args, optionsOf.oidc);
  const start = { ...startOf(values), runBeforeLoadHook: true };
  const file = openReadyFile(values['ready-file']);
  const { bootOidc } = await import('#services/oidc/main.ts');
  const code = await runWorker('oidc', bootOidc, {
    start,
    onReady: (baseUrl, caFile) => {
      if (baseUrl !== undefined) announceReady({ baseUrl, caFile }, { asJson: values['ready-json'] === true, file });
    },
  });
  file?.remove();
  return code;
}
