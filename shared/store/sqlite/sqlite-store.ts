// All ports of one namespace over one database.
import * as z from 'zod';
import type { RuntimeStore } from '../ports/runtime-store.ts';
import { authorizationAdapter } from './authorization-adapter.ts';
import { rateCountersAdapter, sharedSecretsAdapter, verifiedAuthnRequestsAdapter } from './coordination-adapter.ts';
import { deviceGrantsAdapter } from './device-grants-adapter.ts';
import { familyRevocation } from './family-revocation.ts';
import { generationsAdapter } from './generations-adapter.ts';
import { identitiesAdapter } from './identities-adapter.ts';
import { metadataDocumentsAdapter } from './metadata-documents-adapter.ts';
import type { NamespaceContext } from './namespace.ts';
import type { Outbox } from './outbox.ts';
import type { ProcessOwners } from './process-owners.ts';
import { secondFactorsAdapter } from './second-factors-adapter.ts';
import { tokenStateAdapter } from './token-state-adapter.ts';

export async function sqliteStore(
  context: NamespaceContext,
  outbox: Outbox,
  owners: ProcessOwners,
): Promise<RuntimeStore> {
  const { database, ns } = context;
  const find = database.query(
    'SELECT namespace FROM namespaces WHERE namespace = @ns',
    z.object({ namespace: z.string() }),
  );
  const add = database.command('INSERT OR IGNORE INTO namespaces (namespace) VALUES (@ns)');
  // Opening a store that is in use must not wait for its writers.
  if ((await database.read(() => find.get({ ns }))) === undefined) await database.write(() => add.run({ ns }));
  const revokeFamily = familyRevocation(context);
  const { generations, clockOffset } = generationsAdapter(context);
  // The clock's offset is known from the first moment on.
  await generations.newest();
  return {
    ...authorizationAdapter(context, revokeFamily),
    deviceGrants: deviceGrantsAdapter(context),
    secondFactors: secondFactorsAdapter(context),
    tokenState: tokenStateAdapter(context, revokeFamily),
    metadataDocuments: metadataDocumentsAdapter(context),
    identities: identitiesAdapter(context, outbox, owners),
    generations,
    rateCounters: rateCountersAdapter(context),
    sharedSecrets: sharedSecretsAdapter(context),
    verifiedAuthnRequests: verifiedAuthnRequestsAdapter(context),
    clockOffset,
  };
}
