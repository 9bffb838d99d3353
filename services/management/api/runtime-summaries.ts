// Runtime objects as the API shows them: the summary that the model of an entry defines, and the object's own id. None
// contains a secret (RUN-12).

import * as z from 'zod';
import { clientEntryModel } from '#shared/model/configuration/client-entry.ts';
import { clientKind, userKind } from '#shared/model/configuration/entry-kinds.ts';
import { entrySummary, entrySummaryShape } from '#shared/model/configuration/projections/api-summary.ts';
import { userEntryModel } from '#shared/model/configuration/user-entry.ts';
import type { RuntimeClient, RuntimeUser } from '#shared/model/domain/runtime-identity.ts';

const instanceId = z.string().describe('Unique among all runtime objects, even after a deletion.');

/** A users.yaml entry with its name. Unknown members become attributes. */
export const newUserModel = z
  .looseObject({
    username: z.string().min(1).describe('The name that the user logs in with.'),
    ...userEntryModel.shape,
  })
  .meta({ id: 'NewUser' });

/** An entry of oauth.clients. */
export const newClientModel = clientEntryModel.meta({ id: 'NewClient' });

export const runtimeUserModel = z
  .strictObject({ ...entrySummaryShape(userKind), origin: z.literal('runtime'), instance_id: instanceId })
  .meta({ id: 'RuntimeUser' });

export const runtimeClientModel = z
  .strictObject({
    ...entrySummaryShape(clientKind),
    origin: z.literal('runtime'),
    source: z.literal('dcr').optional().describe('Whether the client registered itself.'),
    instance_id: instanceId,
  })
  .meta({ id: 'RuntimeClient' });

/** The members of an item of GET /api/users, and the object's own id (RUN-01). */
export function runtimeUserSummary({ name, entry, instance_id }: RuntimeUser) {
  return { ...entrySummary(userKind, userKind.effective(name, entry)), origin: 'runtime', instance_id };
}

/** RUN-02. */
export function runtimeClientSummary({ name, entry, instance_id, registration }: RuntimeClient) {
  return {
    ...entrySummary(clientKind, clientKind.effective(name, entry)),
    origin: 'runtime',
    ...(registration === undefined ? {} : { source: 'dcr' }),
    instance_id,
  };
}
