// `test-idp saml`: the SAML frontend alone, in the foreground, without a supervisor (CLI-05).
import { runWorker } from '#shared/worker/run-worker.ts';
import { announceReady } from './announce-ready.ts';
import { readOptions, startOf } from './command-line.ts';
import { optionsOf } from './options.ts';

export async function run(args: readonly string[]): Promise<number> {
  const values = readOptions(args, optionsOf.saml);
  const start = { ...startOf(values), runBeforeLoadHook: true };
  const { bootSaml } = await import('#services/saml/main.ts');
  return runWorker('saml', bootSaml, {
    start,
    onReady: (baseUrl) => {
      if (baseUrl !== undefined) announceReady({ baseUrl }, values['ready-json'] === true);
    },
  });
}
