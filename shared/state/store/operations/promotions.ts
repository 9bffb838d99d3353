// The states of a promotion: reads the row, lets shared/model/domain/promotion.ts decide, and stores the result with
// the event that reports it.
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
} from '#shared/model/domain/promotion.ts';
import type { RuntimeKind } from '#shared/model/domain/runtime-identity.ts';
import { presentRow } from '../json-columns.ts';
import type { ReconciledIdentity } from '../ports/runtime-identities.ts';
import { identityColumns, identityOf, identityRow } from '../rows/identity.ts';
import { generationOfNamespaceRow } from '../rows/namespace.ts';
import {
  columnsOfPromotion,
  type PromotionPart,
  type PromotionRow,
  promotionColumns,
  promotionOf,
  promotionRow,
} from '../rows/promotion.ts';
import { command, query, type StatementTexts } from '../statements/text.ts';
import type { OperationContext, StoreOwners, Work } from './work.ts';

const byName = 'FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND name = @name';

const texts = () =>
  ({
    findIdentity: query(`SELECT ${identityColumns} ${byName}`, identityRow),
    find: query(`SELECT ${promotionColumns} ${byName}`, promotionRow),
    findClaim: query(
      `SELECT ${promotionColumns} FROM runtime_identities WHERE namespace = @ns AND claim = @claim`,
      promotionRow,
    ),
    claimed: query(
      `SELECT ${identityColumns} FROM runtime_identities WHERE namespace = @ns AND promotion = 'claimed' ORDER BY seq`,
      identityRow,
    ),
    anyToReconcile: query(
      `SELECT 1 AS present FROM runtime_identities WHERE namespace = @ns AND promotion <> 'claimed' LIMIT 1`,
      presentRow,
    ),
    all: query(`SELECT ${promotionColumns} FROM runtime_identities WHERE namespace = @ns ORDER BY seq`, promotionRow),
    store: command(
      `UPDATE runtime_identities SET promotion = @promotion, claim = @claim, owner = @owner, promotion_event = @event,
         written_generation = @generation
       WHERE namespace = @ns AND kind = @kind AND name = @name`,
    ),
    remove: command(`DELETE ${byName}`),
    supersede: command('UPDATE generations SET superseded = 1 WHERE namespace = @ns AND generation = @generation'),
    newest: query('SELECT generation FROM namespaces WHERE namespace = @ns', generationOfNamespaceRow),
  }) satisfies StatementTexts;

type Place = { readonly kind: RuntimeKind; readonly name: string };

const lock = 'runtime_identities';
const withGenerations = [lock, 'generations'];

export function promotions(context: OperationContext, owners: StoreOwners): PromotionPart {
  const { ns, random, onStep, prepare, read, write, record } = context;
  const sql = prepare(texts);

  function* newest(): Work<number> {
    return (yield* sql.newest.get({ ns }))?.generation ?? 0;
  }

  const store = ({ kind, name }: Place, promotion: Promotion) =>
    sql.store.put({ ns, kind, name, ...columnsOfPromotion(promotion) });

  /** Returns the object with this claim while the claim is valid. */
  function* findClaimed(claim: string): Work<PromotionRow | undefined> {
    const row = yield* sql.findClaim.get({ ns, claim });
    return row !== undefined && isClaimedBy(promotionOf(row), claim) ? row : undefined;
  }

  /** Stores a change with its event. Returns false for undefined: nothing changes. */
  const apply = ({ kind, name }: Place, changed: PromotionChange | undefined): boolean => {
    if (changed === undefined) return false;
    if (changed.becomes === 'removed') {
      sql.remove.put({ ns, kind, name });
      onStep?.('promoted_object_removed');
    } else {
      store({ kind, name }, changed.becomes);
    }
    record(changed.event);
    return true;
  };

  return {
    claimPromotion: async (kind, name, promoting) => {
      const claim = random.token(16);
      const owner = await owners.self();
      const { isClaimed, row } = await write(lock, function* () {
        const known = yield* sql.find.get({ ns, kind, name });
        const claimed = known && claimPromotion(promotionOf(known), { claim, owner, promoting });
        if (claimed !== undefined) store({ kind, name }, claimed);
        return { isClaimed: claimed !== undefined, row: yield* sql.findIdentity.get({ ns, kind, name }) };
      });
      if (row === undefined) return { outcome: 'unknown' };
      if (!isClaimed) return { outcome: 'promotion_in_progress' };
      onStep?.('promotion_claimed');
      return { outcome: 'claimed', claim, identity: identityOf(row) };
    },
    holdsClaim: (claim) =>
      read(function* () {
        return (yield* findClaimed(claim)) !== undefined;
      }),
    releaseClaim: (claim) =>
      write(lock, function* () {
        const row = yield* findClaimed(claim);
        if (row !== undefined) store(row, free);
      }),
    noteWritten: (claim) =>
      write(withGenerations, function* () {
        const row = yield* findClaimed(claim);
        const generation = yield* newest();
        const written = row && noteWritten(promotionOf(row), generation);
        if (row === undefined || written === undefined) return;
        store(row, written);
        // The next accepted configuration gets a new number even if its texts are identical to the active ones.
        sql.supersede.put({ ns, generation });
      }),
    retirePromoted: (claim) =>
      write(lock, function* () {
        const row = yield* findClaimed(claim);
        return row !== undefined && apply(row, retirePromoted(promotionOf(row)));
      }),
    deadClaims: async () => {
      const identities = (await read(() => sql.claimed.all({ ns }))).map(identityOf);
      const claimed = identities.flatMap(({ promotion }) => (promotion.state === 'claimed' ? [promotion.owner] : []));
      const dead = await owners.dead(claimed);
      return identities.flatMap((identity) => {
        const { promotion } = identity;
        if (promotion.state !== 'claimed' || !dead.has(promotion.owner)) return [];
        return [{ claim: promotion.claim, identity }];
      });
    },
    settleDeadClaim: (claim, outcome, moment) =>
      write(lock, function* () {
        const row = yield* findClaimed(claim);
        return row !== undefined && apply(row, settleDeadClaim(row, promotionOf(row), outcome, moment));
      }),
    reconcile: async ({ generation, users, clients, serviceProviders }, moment) => {
      // In most stores a load finds nothing to decide. This read avoids waiting for a writer.
      if ((await read(() => sql.anyToReconcile.get({ ns }))) === undefined) return [];
      return write(withGenerations, function* () {
        if ((yield* newest()) > generation) return [];
        const declared = { user: users, client: clients, service_provider: serviceProviders };
        const outcomes: ReconciledIdentity[] = [];
        for (const row of yield* sql.all.all({ ns })) {
          const isDeclared = declared[row.kind]?.has(row.name) === true;
          const reconciled = reconcile(row, promotionOf(row), { isDeclared, generation }, moment);
          if (reconciled === undefined) continue;
          apply(row, reconciled);
          outcomes.push({ kind: row.kind, name: row.name, outcome: reconciled.outcome });
        }
        return outcomes;
      });
    },
  };
}
