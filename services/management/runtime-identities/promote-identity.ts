// Writes a runtime object into the declared files and retires it, in three steps: claim, write under the directory
// lock, retire (RUN-22 to RUN-29). The claim is in the store, so only one promotion of an object holds it. If its
// process dies, the next promotion settles the object.

import type { RuntimeIdentitiesContext } from '#shared/engine/identities/runtime-identities-context.ts';
import { settlePromotions } from '#shared/engine/identities/settle-promotions.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { IdentityKind, RuntimeIdentity } from '#shared/model/domain/runtime-identity.ts';
import type { ConfigurationChange, WriteOutcome } from '#shared/state/configuration/active-configuration.ts';
import { endClaim } from './end-claim.ts';

export type Promotion =
  | {
      readonly outcome: 'promoted';
      readonly file: 'users.yaml' | 'settings.yaml';
      /** A strict on_config_saved failed, but the promotion is complete (RUN-28). */
      readonly hookError: string | undefined;
    }
  | {
      readonly outcome:
        | 'not_found'
        | 'promotion_in_progress'
        | 'declared'
        | 'conflict'
        | 'lock_unavailable'
        | 'no_configuration_directory'
        | 'not_writable';
    }
  | { readonly outcome: 'unloadable' | 'write_failed' | 'reload_failed'; readonly message: string };

/** `event` is the `runtime_identity_promoted` event of this request. */
export async function promoteIdentity(
  kind: IdentityKind,
  name: string,
  event: AuditEvent,
  context: RuntimeIdentitiesContext,
): Promise<Promotion> {
  const { identities } = context.store;
  await settlePromotions(context);
  // Not even claimed when the entry cannot be written anywhere (CLU-20).
  if (!context.configuration.areFilesWritable()) return { outcome: 'not_writable' };
  const claiming = await identities.claimPromotion(kind, name, event);
  if (claiming.outcome === 'unknown') return { outcome: 'not_found' };
  if (claiming.outcome === 'promotion_in_progress') return { outcome: 'promotion_in_progress' };
  const { claim, identity } = claiming;
  let written: WriteOutcome;
  try {
    written = await context.configuration.write([additionOf(identity)], {
      lastLook: () => identities.holdsClaim(claim),
    });
  } catch (error) {
    await settleUncertain(claim, identity, context);
    throw error;
  }
  if (written.outcome !== 'written') {
    await endClaim(() => identities.releaseClaim(claim), context.log);
    return refusalOf(written);
  }
  if (written.activationError !== undefined) {
    await endClaim(() => identities.noteWritten(claim), context.log);
    return { outcome: 'reload_failed', message: written.activationError };
  }
  await endClaim(() => identities.retirePromoted(claim), context.log);
  const file = kind === 'user' ? 'users.yaml' : 'settings.yaml';
  return { outcome: 'promoted', file, hookError: written.hookError };
}

function additionOf(identity: RuntimeIdentity): ConfigurationChange {
  return identity.kind === 'user'
    ? { kind: 'add_user', username: identity.name, entry: identity.entry }
    : { kind: 'add_client', entry: identity.entry };
}

function refusalOf(written: Exclude<WriteOutcome, { outcome: 'written' }>): Promotion {
  switch (written.outcome) {
    case 'exists':
      return { outcome: 'declared' };
    case 'unloadable':
    case 'write_failed':
      return { outcome: written.outcome, message: written.message };
    case 'lock_timeout':
    case 'lock_unsupported':
      return { outcome: 'lock_unavailable' };
    case 'no_configuration_directory':
    case 'not_writable':
      return { outcome: written.outcome };
    case 'refused':
      return { outcome: 'promotion_in_progress' };
    case 'conflict':
    case 'unknown':
      return { outcome: 'conflict' };
  }
}

/** The write failed unexpectedly. Whether the entry reached the file decides what happens to the object. */
async function settleUncertain(
  claim: string,
  { kind, name }: RuntimeIdentity,
  { configuration, store, log }: RuntimeIdentitiesContext,
): Promise<void> {
  const declared = await configuration.declaredNames().catch(() => undefined);
  const isInFile = declared === undefined || (kind === 'user' ? declared.users : declared.clients).has(name);
  const { noteWritten, releaseClaim } = store.identities;
  await endClaim(() => (isInFile ? noteWritten(claim) : releaseClaim(claim)), log);
}
