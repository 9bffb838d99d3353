// The faults of a namespace in PostgreSQL. Those in force come with the shared look; a claim is one conditional update.
import * as z from 'zod';
import { type Instant, plusSeconds } from '#shared/clock.ts';
import { type Fault, faultsKeptMax, haveSameOrders, isInForce, orderText } from '#shared/domain/fault.ts';
import type { Faults, NewFault } from '../ports/faults.ts';
import { differentOrders, faultOf } from '../rows/fault.ts';
import { faultTexts, live } from '../statements/faults.ts';
import { command, query } from '../statements/text.ts';
import type { ChangeEvents } from './audit/change-events.ts';
import type { CachedState } from './cached-state.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { SharedLook } from './shared-look.ts';
import { prepared, type Runner, type Writer } from './statement.ts';

const sql = prepared({
  ...faultTexts,
  // As many of those that are over as stand in the way, the oldest first.
  makeRoom: command(
    `DELETE FROM faults WHERE seq IN (
       SELECT seq FROM faults WHERE namespace = @ns AND origin = 'runtime' AND NOT (${live}) ORDER BY seq
       LIMIT greatest(0, (SELECT count(*) FROM faults WHERE namespace = @ns) - ${faultsKeptMax - 1}))`,
  ),
  meet: query(
    'UPDATE faults SET met = met + 1 WHERE namespace = @ns AND id = @id RETURNING met',
    z.object({ met: z.number() }),
  ),
});

export function faultsAdapter(
  { database, ns, realClock }: NamespaceContext,
  cached: CachedState,
  sharedLook: SharedLook,
  events: ChangeEvents,
): Faults {
  const find = async (on: Runner, id: string) => {
    const row = await sql.find.get(on, { ns, id });
    return row && faultOf(row);
  };
  // Sent with whatever is asked next, so that a thousand are no thousand round trips.
  const insert = (on: Writer, { id, unknownKey, ...order }: NewFault, origin: Fault['origin'], real: Instant) => {
    const expires_at = order.ttl_seconds === null ? null : plusSeconds(real, order.ttl_seconds);
    const entry = orderText(order);
    const created = { id, origin, entry, remaining: order.times, created_at: real, expires_at };
    sql.insert.put(on, { ns, ...created, unknown_key: unknownKey ?? null });
  };
  const remove = (on: Writer, id: string) => sql.remove.put(on, { ns, id });

  return {
    inForce: () => {
      const known = cached.faultsOf(ns);
      if (known.length === 0) return known;
      const real = realClock.now();
      return known.filter((fault) => isInForce(fault, real));
    },
    create: async (fault, event) => {
      const created = await database.write('faults', async (on): Promise<Fault | 'full'> => {
        const real = realClock.now();
        if (((await sql.countLive.get(on, { ns, real }))?.count ?? 0) >= faultsKeptMax) return 'full';
        await sql.makeRoom.run(on, { ns, real });
        insert(on, fault, 'runtime', real);
        await cached.noteFaultsChanged(on);
        if (event !== undefined) events.put(on, event);
        return (await find(on, fault.id)) ?? 'full';
      });
      await sharedLook.afterChange(ns);
      return created;
    },
    list: () => database.read(async (on) => (await sql.list.all(on, { ns })).map(faultOf)),
    find: (id) => database.read((on) => find(on, id)),
    delete: async (id, eventOf) => {
      const outcome = await database.write('faults', async (on) => {
        const fault = await find(on, id);
        if (fault === undefined) return 'unknown';
        if (fault.origin === 'declared') return 'declared';
        remove(on, id);
        await cached.noteFaultsChanged(on);
        if (eventOf !== undefined) events.put(on, eventOf(fault));
        return 'deleted';
      });
      await sharedLook.afterChange(ns);
      return outcome;
    },
    deleteAll: async (eventOf) => {
      const deleted = await database.write('faults', async (on) => {
        const runtime = (await sql.list.all(on, { ns })).filter(({ origin }) => origin === 'runtime');
        for (const row of runtime) {
          remove(on, row.id);
          if (eventOf !== undefined) events.put(on, eventOf(faultOf(row)));
        }
        if (runtime.length > 0) await cached.noteFaultsChanged(on);
        return runtime.length;
      });
      await sharedLook.afterChange(ns);
      return deleted;
    },
    meet: (ids) =>
      // In one order, so that two requests never wait for each other's faults.
      database.write([], async (on) => {
        const met = new Map<string, number>(ids.map((id) => [id, 0]));
        for (const id of ids.toSorted()) met.set(id, (await sql.meet.get(on, { ns, id }))?.met ?? 0);
        return met;
      }),
    claim: async (id) => {
      const claimed = await database.write([], async (on) => {
        if ((await sql.claim.run(on, { ns, id, real: realClock.now() })) === 0) return false;
        // Nobody needs to look at it any more.
        if ((await sql.find.get(on, { ns, id }))?.remaining === 0) await cached.noteFaultsChanged(on);
        return true;
      });
      return claimed;
    },
    noteFetch: async (id) => {
      await database.write([], async (on) => {
        await sql.noteFetch.run(on, { ns, id });
      });
    },
    declare: async (faults, generation) => {
      const declaredNow = async (on: Runner) =>
        (await sql.list.all(on, { ns })).filter(({ origin }) => origin === 'declared');
      const present = await database.read(async (on) => (await declaredNow(on)).map(({ entry }) => entry));
      // As a rule nothing changed, and a reload then writes nothing.
      if (haveSameOrders(present, faults)) return;
      await database.write('faults', async (on) => {
        if (generation !== undefined && (await cached.look(on, ns)) > generation) return;
        const { gone, added } = differentOrders(await declaredNow(on), faults);
        const real = realClock.now();
        for (const fault of added) insert(on, fault, 'declared', real);
        for (const { id } of gone) remove(on, id);
        await cached.noteFaultsChanged(on);
      });
      await sharedLook.afterChange(ns);
    },
  };
}
