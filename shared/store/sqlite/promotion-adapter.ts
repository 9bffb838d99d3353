// The states of a promotion in SQLite: loads what is stored, lets shared/domain/promotion.ts decide, stores what becomes of
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
import { identityOf } from '../rows/identity.ts';
import { columnsOfPromotion, type PromotionPart, type PromotionRow, promotionOf } from '../rows/promotion.ts';
import { promotionTexts } from '../statements/promotions.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { Outbox } from './outbox.ts';
import type { ProcessOwners } from './proof-of-life.ts';

type Place = { readonly kind: RuntimeKind; readonly name: string };

export function promotionAdapter(
  { database, ns, random, onStep }: NamespaceContext,
  outbox: Outbox,
  owners: ProcessOwners,
): PromotionPart {
  const { change } = outbox;
  const sql = database.prepare(promotionTexts);
  const newest = () => sql.newest.get({ ns })?.generation ?? 0;
  const store = ({ kind, name }: Place, promotion: Promotion) => {
    sql.store.run({ ns, kind, name, ...columnsOfPromotion(promotion) });
  };
  /** The object that bears the claim, while it is in force. */
  const findClaimed = (claim: string): PromotionRow | undefined => {
    const row = sql.findClaim.get({ ns, claim });
    return row !== undefined && isClaimedBy(promotionOf(row), claim) ? row : undefined;
  };
  /** Stores a change with its event; false: there was none. */
  const apply = ({ kind, name }: Place, changed: PromotionChange | undefined): boolean => {
    if (changed === undefined) return false;
    if (changed.becomes === 'removed') {
      sql.remove.run({ ns, kind, name });
      onStep?.('promoted_object_removed');
    } else {
      store({ kind, name }, changed.becomes);
    }
    outbox.put(changed.event);
    return true;
  };

  return {
    claimPromotion: async (kind, name, promoting) => {
      const claim = random.token(16);
      const { took, row } = await database.write(() => {
        const known = sql.find.get({ ns, kind, name });
        const claimed = known && claimPromotion(promotionOf(known), { claim, owner: owners.self, promoting });
        if (claimed !== undefined) store({ kind, name }, claimed);
        return { took: claimed !== undefined, row: sql.findIdentity.get({ ns, kind, name }) };
      });
      if (row === undefined) return { outcome: 'unknown' };
      if (!took) return { outcome: 'promotion_in_progress' };
      onStep?.('promotion_claimed');
      return { outcome: 'claimed', claim, identity: identityOf(row) };
    },
    holdsClaim: (claim) => database.read(() => findClaimed(claim) !== undefined),
    releaseClaim: (claim) =>
      database.write(() => {
        const row = findClaimed(claim);
        if (row !== undefined) store(row, free);
      }),
    noteWritten: (claim) =>
      database.write(() => {
        const row = findClaimed(claim);
        const generation = newest();
        const written = row && noteWritten(promotionOf(row), generation);
        if (row === undefined || written === undefined) return;
        store(row, written);
        // The next accepted configuration gets a number of its own even if its texts are those in force now.
        sql.supersede.run({ ns, generation });
      }),
    retirePromoted: (claim) =>
      change(() => {
        const row = findClaimed(claim);
        return row !== undefined && apply(row, retirePromoted(promotionOf(row)));
      }),
    deadClaims: async () => {
      const identities = await database.read(() => sql.claimed.all({ ns }).map(identityOf));
      return identities.flatMap((identity) => {
        const { promotion } = identity;
        if (promotion.state !== 'claimed' || !owners.isDead(promotion.owner)) return [];
        return [{ claim: promotion.claim, identity }];
      });
    },
    settleDeadClaim: (claim, outcome, moment) =>
      change(() => {
        const row = findClaimed(claim);
        return row !== undefined && apply(row, settleDeadClaim(row, promotionOf(row), outcome, moment));
      }),
    reconcile: async ({ generation, users, clients, serviceProviders }, moment) => {
      // Most stores hold nothing at a load that it could decide about: then nobody waits for a writer.
      if ((await database.read(() => sql.anyToReconcile.get({ ns }))) === undefined) return [];
      return change(() => {
        if (newest() > generation) return [];
        const declared = { user: users, client: clients, service_provider: serviceProviders };
        return sql.all.all({ ns }).flatMap((row) => {
          const isDeclared = declared[row.kind]?.has(row.name) === true;
          const reconciled = reconcile(row, promotionOf(row), { isDeclared, generation }, moment);
          if (reconciled === undefined) return [];
          apply(row, reconciled);
          return [{ kind: row.kind, name: row.name, outcome: reconciled.outcome }];
        });
      });
    },
  };
}
