// `test-idp saml`: the SAML frontend alone, in the foreground, without a supervisor (CLI-05).
import { runWorker } from '#shared/worker/run-worker.ts';
import { announceReady } from './announce-ready.ts';
import { readOptions, startOf } from './command-line.ts';
import { optionsOf } from './options.ts';
import { openReadyFile } from './ready-file.ts';

export async function run(args: readonly string[]): Promise<number> {
  const values = readOptions(args, optionsOf.saml);
  const start = { ...startOf(values), runBeforeLoadHook: true };
  const file = openReadyFile(values['ready-file']);
  const { bootSaml } = await import('#services/saml/main.ts');
  const code = await runWorker('saml', bootSaml, {
    start,
    onReady: (baseUrl, caFile) => {
      if (baseUrl !== undefined) announceReady({ baseUrl, caFile }, { asJson: values['ready-json'] === true, file });
    },
  });
  file?.remove();
  return code;
}
