// The shared part of POST /api/config/reload and POST /settings/reload: reads both files again and activates them, or
// reports why not (ACT-06 to ACT-11). When the directory cannot be observed, the stage for errors responds 503, as for any
// request (ACT-10).

import type { ManagementContext } from '#shared/engine/exchange/request.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { ConfigurationRejectedError } from '#shared/state/configuration/active-configuration.ts';

export async function reloadConfiguration({
  configuration,
  log,
}: ManagementContext): Promise<ConfigurationSnapshot | ConfigurationRejectedError> {
  try {
    return await configuration.reload();
  } catch (error) {
    if (!(error instanceof ConfigurationRejectedError)) throw error;
    log.warn({ kind: error.kind, reason: error.message, err: error.cause }, 'rejected a reload');
    return error;
  }
}
