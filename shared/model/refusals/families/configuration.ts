// Why configuration files are not activated or not written.
import { declareApiRefusals, inRestApi } from '../api-refusal.ts';

/** Nothing can be written, with the remedy (PKG-17). */
export const noConfigurationDirectory =
  'This instance runs without configuration files. Write them with `test-idp init my-idp`, then start with `--config-dir my-idp`.';

/** Where machines share the store, the machine that handles the request writes the change into its files (CLU-20). */
export const configurationNotWritable =
  'This machine cannot write its configuration files, so nothing was changed. Make them writable, or send the change to a machine that can write them.';

interface Problem {
  readonly problem: string;
}

const said = ({ problem }: Problem) => problem;

/** Why a reload is rejected (ACT-07 to ACT-09). */
export const reloadRefusals = declareApiRefusals({
  reload_invalid: {
    ...inRestApi,
    status: 422,
    kind: 'invalid',
    answer: said,
    expected: 'Valid files. The response names file, key and remedy.',
  },
  reload_not_activated: {
    ...inRestApi,
    status: 422,
    kind: 'activation',
    answer: said,
    expected: 'Keys, certificates and a store that the server can use.',
  },
  reload_hook_failed: {
    ...inRestApi,
    status: 503,
    kind: 'on_before_load',
    answer: said,
    expected: 'An on_before_load hook that succeeds, or hooks that are not strict.',
  },
  reload_plugin_failed: {
    ...inRestApi,
    status: 503,
    kind: 'plugin_load',
    answer: said,
    expected: 'Plugins that load, or hooks that are not strict.',
  },
});

/** By the kind that programs receive. */
export const reloadRefusalOf = {
  invalid: reloadRefusals.reload_invalid,
  activation: reloadRefusals.reload_not_activated,
  on_before_load: reloadRefusals.reload_hook_failed,
  plugin_load: reloadRefusals.reload_plugin_failed,
} as const;
