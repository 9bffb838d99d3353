// Why files are not put into force, and why they are not written.
import { docs } from '../references.ts';
import { declareApiRefusals } from './management.ts';

const api = { standard: docs('errors.md#rest-api') } as const;

interface Problem {
  readonly problem: string;
}

const said = ({ problem }: Problem) => problem;

/** Of a reload (ACT-07 to ACT-09). */
export const reloadRefusals = declareApiRefusals({
  reload_invalid: {
    ...api,
    status: 422,
    kind: 'invalid',
    answer: said,
    expected: 'Files that validate; the answer names file, key and remedy.',
  },
  reload_not_activated: {
    ...api,
    status: 422,
    kind: 'activation',
    answer: said,
    expected: 'Keys, certificates and a store that can be taken.',
  },
  reload_hook_failed: {
    ...api,
    status: 503,
    kind: 'on_before_load',
    answer: said,
    expected: 'An on_before_load hook that succeeds, or hooks that are not strict.',
  },
  reload_plugin_failed: {
    ...api,
    status: 503,
    kind: 'plugin_load',
    answer: said,
    expected: 'Plugins that load, or hooks that are not strict.',
  },
});

/** By the kind that programs see. */
export const reloadRefusalOf = {
  invalid: reloadRefusals.reload_invalid,
  activation: reloadRefusals.reload_not_activated,
  on_before_load: reloadRefusals.reload_hook_failed,
  plugin_load: reloadRefusals.reload_plugin_failed,
} as const;
