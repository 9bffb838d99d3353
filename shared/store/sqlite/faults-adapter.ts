// The faults of a namespace in SQLite. Those in force come with the shared look; a claim is one conditional update.
import * as z from 'zod';
import { type Instant, plusSeconds } from '#shared/clock.ts';
import { type Fault, faultsKeptMax, haveSameOrders, isInForce, orderText } from '#shared/domain/fault.ts';
import type { Faults, NewFault } from '../ports/faults.ts';
import { differentOrders, faultOf } from '../rows/fault.ts';
import { faultTexts, live } from '../statements/faults.ts';
import { command, query } from '../statements/text.ts';
import type { CachedState } from './cached-state.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { Outbox } from './outbox.ts';

const texts = {
  ...faultTexts,
  // As many of those that are over as stand in the way, the oldest first.
  makeRoom: command(
    `DELETE FROM faults WHERE seq IN (
       SELECT seq FROM faults WHERE namespace = @ns AND origin = 'runtime' AND NOT (${live}) ORDER BY seq
       LIMIT max(0, (SELECT count(*) FROM faults WHERE namespace = @ns) - ${faultsKeptMax - 1}))`,
  ),
  meet: command('UPDATE faults SET met = met + 1 WHERE namespace = @ns AND id = @id'),
  met: query('SELECT met FROM faults WHERE namespace = @ns AND id = @id', z.object({ met: z.number() })),
};

export function faultsAdapter(
  { database, ns, realClock }: NamespaceContext,
  cached: CachedState,
  outbox: Outbox,
): Faults {
  const sql = database.prepare(texts);
  const find = (id: string) => {
    const row = sql.find.get({ ns, id });
    return row && faultOf(row);
  };
  const insert = ({ id, unknownKey, ...order }: NewFault, origin: Fault['origin'], real: Instant) => {
    const expires_at = order.ttl_seconds === null ? null : plusSeconds(real, order.ttl_seconds);
    const entry = orderText(order);
    const created = { id, origin, entry, remaining: order.times, created_at: real, expires_at };
    sql.insert.run({ ns, ...created, unknown_key: unknownKey ?? null });
    cached.noteFaultsChanged();
  };
  const remove = (id: string) => {
    sql.remove.run({ ns, id });
    cached.noteFaultsChanged();
  };
  /** What this process changed, it knows at once. */
  const lookAgain = () => database.read(() => cached.look(ns));

  return {
    inForce: () => {
      const known = cached.faultsOf(ns);
      if (known.length === 0) return known;
      const real = realClock.now();
      return known.filter((fault) => isInForce(fault, real));
    },
    create: async (fault, event) => {
      const created = await outbox.change((): Fault | 'full' => {
        const real = realClock.now();
        if ((sql.countLive.get({ ns, real })?.count ?? 0) >= faultsKeptMax) return 'full';
        sql.makeRoom.run({ ns, real });
        insert(fault, 'runtime', real);
        if (event !== undefined) outbox.put(event);
        return find(fault.id) ?? 'full';
      });
      await lookAgain();
      return created;
    },
    list: () => database.read(() => sql.list.all({ ns }).map(faultOf)),
    find: (id) => database.read(() => find(id)),
    delete: async (id, eventOf) => {
      const outcome = await outbox.change(() => {
        const fault = find(id);
        if (fault === undefined) return 'unknown';
        if (fault.origin === 'declared') return 'declared';
        remove(id);
        if (eventOf !== undefined) outbox.put(eventOf(fault));
        return 'deleted';
      });
      await lookAgain();
      return outcome;
    },
    deleteAll: async (eventOf) => {
      const deleted = await outbox.change(() => {
        const runtime = sql.list.all({ ns }).filter(({ origin }) => origin === 'runtime');
        for (const row of runtime) {
          remove(row.id);
          if (eventOf !== undefined) outbox.put(eventOf(faultOf(row)));
        }
        return runtime.length;
      });
      await lookAgain();
      return deleted;
    },
    meet: (ids) =>
      database.write(
        () =>
          new Map(
            ids.map((id) => {
              sql.meet.run({ ns, id });
              return [id, sql.met.get({ ns, id })?.met ?? 0];
            }),
          ),
      ),
    claim: async (id) => {
      const claimed = await database.write(() => {
        if (sql.claim.run({ ns, id, real: realClock.now() }) === 0) return false;
        // Nobody needs to look at it any more.
        if (sql.find.get({ ns, id })?.remaining === 0) cached.noteFaultsChanged();
        return true;
      });
      return claimed;
    },
    noteFetch: async (id) => {
      await database.write(() => {
        sql.noteFetch.run({ ns, id });
      });
    },
    declare: async (faults, generation) => {
      const declaredNow = () => sql.list.all({ ns }).filter(({ origin }) => origin === 'declared');
      const present = await database.read(() => declaredNow().map(({ entry }) => entry));
      // As a rule nothing changed, and a reload then writes nothing.
      if (haveSameOrders(present, faults)) return;
      await database.write(() => {
        if (generation !== undefined && cached.look(ns) > generation) return;
        const { gone, added } = differentOrders(declaredNow(), faults);
        const real = realClock.now();
        for (const fault of added) insert(fault, 'declared', real);
        for (const { id } of gone) remove(id);
      });
      await lookAgain();
    },
  };
}
