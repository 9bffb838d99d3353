// The states of a promotion in PostgreSQL: loads what is stored, lets shared/domain/promotion.ts decide, stores what becomes of
// it with the event that tells of it.
import {
  claimPromotion,
  free,
  isClaimedBy,
  noteWritten,
  type Promotion,
  type PromotionChange,
  reconcile,
  retirePromoted,
  settleDeadClaim,
} from '#shared/domain/promotion.ts';
import type { RuntimeKind } from '#shared/domain/runtime-identity.ts';
import type { ReconciledIdentity } from '../ports/runtime-identities.ts';
import { identityOf } from '../rows/identity.ts';
import { columnsOfPromotion, type PromotionPart, type PromotionRow, promotionOf } from '../rows/promotion.ts';
import { promotionTexts } from '../statements/promotions.ts';
import type { ChangeEvents } from './audit/change-events.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { Owners } from './proof-of-life.ts';
import { prepared, type Runner } from './statement.ts';
import type { Transaction } from './transaction.ts';

const sql = prepared(promotionTexts);

type Place = { readonly kind: RuntimeKind; readonly name: string };

export function promotionAdapter(
  { database, ns, random, onStep }: NamespaceContext,
  events: ChangeEvents,
  owners: Owners,
): PromotionPart {
  const newest = async (on: Runner) => (await sql.newest.get(on, { ns }))?.generation ?? 0;
  const store = async (on: Runner, { kind, name }: Place, promotion: Promotion) => {
    await sql.store.run(on, { ns, kind, name, ...columnsOfPromotion(promotion) });
  };
  /** The object that bears the claim, while it is in force. */
  const findClaimed = async (on: Runner, claim: string): Promise<PromotionRow | undefined> => {
    const row = await sql.findClaim.get(on, { ns, claim });
    return row !== undefined && isClaimedBy(promotionOf(row), claim) ? row : undefined;
  };
  /** Stores a change with its event; false: there was none. */
  const apply = async (
    on: Transaction,
    { kind, name }: Place,
    changed: PromotionChange | undefined,
  ): Promise<boolean> => {
    if (changed === undefined) return false;
    if (changed.becomes === 'removed') {
      await sql.remove.run(on, { ns, kind, name });
      onStep?.('promoted_object_removed');
    } else {
      await store(on, { kind, name }, changed.becomes);
    }
    events.put(on, changed.event);
    return true;
  };

  return {
    claimPromotion: async (kind, name, promoting) => {
      const claim = random.token(16);
      const owner = await owners.self();
      const { took, row } = await database.write('runtime_identities', async (on) => {
        const known = await sql.find.get(on, { ns, kind, name });
        const claimed = known && claimPromotion(promotionOf(known), { claim, owner, promoting });
        if (claimed !== undefined) await store(on, { kind, name }, claimed);
        return { took: claimed !== undefined, row: await sql.findIdentity.get(on, { ns, kind, name }) };
      });
      if (row === undefined) return { outcome: 'unknown' };
      if (!took) return { outcome: 'promotion_in_progress' };
      onStep?.('promotion_claimed');
      return { outcome: 'claimed', claim, identity: identityOf(row) };
    },
    holdsClaim: (claim) => database.read(async (on) => (await findClaimed(on, claim)) !== undefined),
    releaseClaim: (claim) =>
      database.write('runtime_identities', async (on) => {
        const row = await findClaimed(on, claim);
        if (row !== undefined) await store(on, row, free);
      }),
    noteWritten: (claim) =>
      database.write(['runtime_identities', 'generations'], async (on) => {
        const row = await findClaimed(on, claim);
        const generation = await newest(on);
        const written = row && noteWritten(promotionOf(row), generation);
        if (row === undefined || written === undefined) return;
        await store(on, row, written);
        // The next accepted configuration gets a number of its own even if its texts are those in force now.
        await sql.supersede.run(on, { ns, generation });
      }),
    retirePromoted: (claim) =>
      database.write('runtime_identities', async (on) => {
        const row = await findClaimed(on, claim);
        return row !== undefined && (await apply(on, row, retirePromoted(promotionOf(row))));
      }),
    deadClaims: async () => {
      const identities = await database.read(async (on) => (await sql.claimed.all(on, { ns })).map(identityOf));
      const claimed = identities.flatMap(({ promotion }) => (promotion.state === 'claimed' ? [promotion.owner] : []));
      const dead = await owners.dead(claimed);
      return identities.flatMap((identity) => {
        const { promotion } = identity;
        if (promotion.state !== 'claimed' || !dead.has(promotion.owner)) return [];
        return [{ claim: promotion.claim, identity }];
      });
    },
    settleDeadClaim: (claim, outcome, moment) =>
      database.write('runtime_identities', async (on) => {
        const row = await findClaimed(on, claim);
        return row !== undefined && (await apply(on, row, settleDeadClaim(row, promotionOf(row), outcome, moment)));
      }),
    reconcile: async ({ generation, users, clients, serviceProviders }, moment) => {
      // Most stores hold nothing at a load that it could decide about: then nobody waits for a writer.
      if ((await database.read((on) => sql.anyToReconcile.get(on, { ns }))) === undefined) return [];
      return database.write(['runtime_identities', 'generations'], async (on) => {
        if ((await newest(on)) > generation) return [];
        const declared = { user: users, client: clients, service_provider: serviceProviders };
        const outcomes: ReconciledIdentity[] = [];
        for (const row of await sql.all.all(on, { ns })) {
          const isDeclared = declared[row.kind]?.has(row.name) === true;
          const reconciled = reconcile(row, promotionOf(row), { isDeclared, generation }, moment);
          if (reconciled === undefined) continue;
          await apply(on, row, reconciled);
          outcomes.push({ kind: row.kind, name: row.name, outcome: reconciled.outcome });
        }
        return outcomes;
      });
    },
  };
}
