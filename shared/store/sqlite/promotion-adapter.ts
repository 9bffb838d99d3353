// The states of a promotion in SQLite: free → claimed → gone | free | written, written → gone | free. A claim names its
// process; it is settled by others only when that process is proved dead (RUN-30 to RUN-32).
import * as z from 'zod';
import type { AuditEvent } from '#shared/audit/audit-event.ts';
import type { Instant } from '#shared/clock.ts';
import type { ReconciledIdentity, RuntimeIdentities } from '../ports/runtime-identities.ts';
import { identityColumns, identityOf, identityRow } from './identity-rows.ts';
import type { NamespaceContext } from './namespace.ts';
import type { Outbox } from './outbox.ts';
import type { ProcessOwners } from './process-owners.ts';
import { auditEventShape, encoded, encodeEvent } from './records.ts';

type PromotionPart = Pick<
  RuntimeIdentities,
  | 'claimPromotion'
  | 'holdsClaim'
  | 'releaseClaim'
  | 'noteWritten'
  | 'retirePromoted'
  | 'deadClaims'
  | 'settleDeadClaim'
  | 'reconcile'
>;

const kindColumn = z.enum(['user', 'client']);
const claimRow = z.object({ kind: kindColumn, name: z.string(), promotion_event: encoded(auditEventShape) });
const reconcilableRow = z.object({
  kind: kindColumn,
  name: z.string(),
  promotion: z.enum(['free', 'written']),
  promotion_event: encoded(auditEventShape).nullable(),
  written_generation: z.number().nullable(),
});
const generationRow = z.object({ generation: z.number() });

export function promotionAdapter(
  { database, ns, random, onStep }: NamespaceContext,
  outbox: Outbox,
  owners: ProcessOwners,
): PromotionPart {
  const { change } = outbox;
  const find = database.query(
    `SELECT ${identityColumns} FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND name = @name`,
    identityRow,
  );
  const claimFree = database.command(
    `UPDATE runtime_identities
     SET promotion = 'claimed', claim = @claim, owner = @owner, promotion_event = @event
     WHERE namespace = @ns AND kind = @kind AND name = @name AND promotion = 'free'`,
  );
  const findClaim = database.query(
    `SELECT kind, name, promotion_event FROM runtime_identities
     WHERE namespace = @ns AND claim = @claim AND promotion = 'claimed'`,
    claimRow,
  );
  const claimed = database.query(
    `SELECT ${identityColumns} FROM runtime_identities WHERE namespace = @ns AND promotion = 'claimed' ORDER BY seq`,
    identityRow,
  );
  const release = database.command(
    `UPDATE runtime_identities SET promotion = 'free', claim = NULL, owner = NULL, promotion_event = NULL,
       written_generation = NULL
     WHERE namespace = @ns AND kind = @kind AND name = @name`,
  );
  const remove = database.command(
    'DELETE FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND name = @name',
  );
  const setWritten = database.command(
    `UPDATE runtime_identities SET promotion = 'written', owner = NULL,
       written_generation = (SELECT generation FROM namespaces WHERE namespace = @ns)
     WHERE namespace = @ns AND claim = @claim AND promotion = 'claimed'`,
  );
  const supersedeNewest = database.command(
    `UPDATE generations SET superseded = 1
     WHERE namespace = @ns AND generation = (SELECT generation FROM namespaces WHERE namespace = @ns)`,
  );
  const newest = database.query('SELECT generation FROM namespaces WHERE namespace = @ns', generationRow);
  const reconcilable = database.query(
    `SELECT kind, name, promotion, promotion_event, written_generation FROM runtime_identities
     WHERE namespace = @ns AND promotion IN ('free', 'written') ORDER BY seq`,
    reconcilableRow,
  );

  const reconcileOne = (
    row: z.output<typeof reconcilableRow>,
    isDeclared: boolean,
    generation: number,
    now: Instant,
  ): ReconciledIdentity['outcome'] | undefined => {
    const { kind, name } = row;
    if (row.promotion === 'free') {
      if (!isDeclared) return undefined;
      remove.run({ ns, kind, name });
      outbox.put(removedOnReload(kind, name, now));
      return 'removed';
    }
    // Generations up to the one in force when the load failed know nothing of the written entry.
    const promoting = row.promotion_event;
    if (promoting === null || generation <= (row.written_generation ?? 0)) return undefined;
    if (isDeclared) {
      remove.run({ ns, kind, name });
      outbox.put({ ...promoting, at: now });
      return 'promoted';
    }
    release.run({ ns, kind, name });
    const event_type = 'runtime_identity_promotion_abandoned';
    outbox.put({ ...promoting, event_type, at: now, status: 'failed', details: { kind, name } });
    return 'abandoned';
  };

  return {
    claimPromotion: async (kind, name, promoting) => {
      const claim = random.token(16);
      const owner = owners.self;
      const { took, row } = await database.write(() => ({
        took: claimFree.run({ ns, kind, name, claim, owner, event: encodeEvent(promoting) }) === 1,
        row: find.get({ ns, kind, name }),
      }));
      if (row === undefined) return { outcome: 'unknown' };
      if (!took) return { outcome: 'promotion_in_progress' };
      onStep?.('promotion_claimed');
      return { outcome: 'claimed', claim, identity: identityOf(row) };
    },
    holdsClaim: (claim) => database.read(() => findClaim.get({ ns, claim }) !== undefined),
    releaseClaim: (claim) =>
      database.write(() => {
        const found = findClaim.get({ ns, claim });
        if (found !== undefined) release.run({ ns, kind: found.kind, name: found.name });
      }),
    noteWritten: (claim) =>
      database.write(() => {
        // The next accepted configuration gets a number of its own even if its texts are those in force now.
        if (setWritten.run({ ns, claim }) === 1) supersedeNewest.run({ ns });
      }),
    retirePromoted: (claim) =>
      change(() => {
        const found = findClaim.get({ ns, claim });
        if (found === undefined) return false;
        remove.run({ ns, kind: found.kind, name: found.name });
        onStep?.('promoted_object_removed');
        outbox.put(found.promotion_event);
        return true;
      }),
    deadClaims: async () => {
      const identities = await database.read(() => claimed.all({ ns }).map(identityOf));
      return identities.flatMap((identity) => {
        const { promotion } = identity;
        if (promotion.state !== 'claimed' || !owners.isDead(promotion.owner)) return [];
        return [{ claim: promotion.claim, identity }];
      });
    },
    settleDeadClaim: (claim, outcome, now) =>
      change(() => {
        const found = findClaim.get({ ns, claim });
        if (found === undefined) return false;
        const { kind, name, promotion_event: promoting } = found;
        if (outcome === 'declared') remove.run({ ns, kind, name });
        else release.run({ ns, kind, name });
        outbox.put(recovered(promoting, { kind, name, outcome }, now));
        return true;
      }),
    reconcile: async ({ generation, users, clients }, now) => {
      const pending = await database.read(() => reconcilable.all({ ns }).length);
      if (pending === 0) return [];
      return change(() => {
        if ((newest.get({ ns })?.generation ?? 0) > generation) return [];
        return reconcilable.all({ ns }).flatMap((row) => {
          const isDeclared = (row.kind === 'user' ? users : clients).has(row.name);
          const outcome = reconcileOne(row, isDeclared, generation, now);
          return outcome === undefined ? [] : [{ kind: row.kind, name: row.name, outcome }];
        });
      });
    },
  };
}

function removedOnReload(kind: 'user' | 'client', name: string, now: Instant): AuditEvent {
  return {
    event_type: 'runtime_identity_removed_on_reload',
    at: now,
    ...(kind === 'user' ? { username: name } : { client_id: name }),
    status: 'success',
    details: { kind, name },
  };
}

function recovered(
  promoting: AuditEvent,
  details: { kind: 'user' | 'client'; name: string; outcome: 'declared' | 'runtime' },
  now: Instant,
): AuditEvent {
  return {
    ...promoting,
    event_type: 'runtime_identity_promotion_recovered',
    at: now,
    status: 'success',
    details,
  };
}
