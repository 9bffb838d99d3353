// The faults of a namespace. A claim is one conditional update.
import * as z from 'zod';
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import { type Fault, faultsKeptMax, haveSameOrders, isInForce, orderText } from '#shared/model/domain/fault.ts';
import { countRow } from '../json-columns.ts';
import type { Faults, NewFault } from '../ports/faults.ts';
import { differentOrders, faultColumns, faultOf, faultRow } from '../rows/fault.ts';
import { command, query, type StatementTexts } from '../statements/text.ts';
import { type KnownState, noteTexts } from './known-state.ts';
import type { Dialect, OperationContext, Work } from './work.ts';

/** A fault that may still fire. */
const live = '(remaining IS NULL OR remaining > 0) AND (expires_at IS NULL OR expires_at > @real)';

const texts = ({ greatest }: Dialect) =>
  ({
    ...noteTexts,
    list: query(`SELECT ${faultColumns} FROM faults WHERE namespace = @ns ORDER BY seq`, faultRow),
    find: query(`SELECT ${faultColumns} FROM faults WHERE namespace = @ns AND id = @id`, faultRow),
    // The exact count runs only where there may be too many.
    countLive: query(
      `SELECT CASE WHEN (SELECT count(*) FROM faults WHERE namespace = @ns) < ${faultsKeptMax} THEN 0
         ELSE (SELECT count(*) FROM faults WHERE namespace = @ns AND ${live}) END AS count`,
      countRow,
    ),
    // Deletes as many used-up or expired faults as exceed the bound, oldest first.
    makeRoom: command(
      `DELETE FROM faults WHERE seq IN (
         SELECT seq FROM faults WHERE namespace = @ns AND origin = 'runtime' AND NOT (${live}) ORDER BY seq
         LIMIT ${greatest('0', `(SELECT count(*) FROM faults WHERE namespace = @ns) - ${faultsKeptMax - 1}`)})`,
    ),
    insert: command(
      `INSERT INTO faults (namespace, id, origin, entry, remaining, created_at, expires_at, unknown_key)
       VALUES (@ns, @id, @origin, @entry, @remaining, @created_at, @expires_at, @unknown_key)`,
    ),
    remove: command('DELETE FROM faults WHERE namespace = @ns AND id = @id'),
    meet: query(
      'UPDATE faults SET met = met + 1 WHERE namespace = @ns AND id = @id RETURNING met',
      z.object({ met: z.number() }),
    ),
    claim: command(
      `UPDATE faults SET hits = hits + 1, remaining = remaining - 1 WHERE namespace = @ns AND id = @id AND ${live}`,
    ),
    noteFetch: command('UPDATE faults SET fetches = fetches + 1 WHERE namespace = @ns AND id = @id'),
  }) satisfies StatementTexts;

const lock = 'faults';

export function faults({ ns, realClock, prepare, read, write, record }: OperationContext, known: KnownState): Faults {
  const sql = prepare(texts);

  function* find(id: string): Work<Fault | undefined> {
    const row = yield* sql.find.get({ ns, id });
    return row && faultOf(row);
  }

  const insert = ({ id, unknownKey, ...order }: NewFault, origin: Fault['origin'], real: Instant) => {
    const expires_at = order.ttl_seconds === null ? null : plusSeconds(real, order.ttl_seconds);
    const entry = orderText(order);
    const created = { id, origin, entry, remaining: order.times, created_at: real, expires_at };
    sql.insert.put({ ns, ...created, unknown_key: unknownKey ?? null });
  };

  function* rowsOf(origin: Fault['origin']): Work<readonly z.output<typeof faultRow>[]> {
    return (yield* sql.list.all({ ns })).filter((row) => row.origin === origin);
  }

  return {
    inForce: () => {
      const all = known.faults();
      if (all.length === 0) return all;
      const real = realClock.now();
      return all.filter((fault) => isInForce(fault, real));
    },
    create: async (fault, event) => {
      const created = await write(lock, function* (): Work<Fault | 'full'> {
        const real = realClock.now();
        if (((yield* sql.countLive.get({ ns, real }))?.count ?? 0) >= faultsKeptMax) return 'full';
        sql.makeRoom.put({ ns, real });
        insert(fault, 'runtime', real);
        sql.noteFaultsChanged.put({});
        if (event !== undefined) record(event);
        return (yield* find(fault.id)) ?? 'full';
      });
      await known.afterChange();
      return created;
    },
    list: async () => (await read(() => sql.list.all({ ns }))).map(faultOf),
    find: (id) => read(() => find(id)),
    delete: async (id, eventOf) => {
      const outcome = await write(lock, function* () {
        const fault = yield* find(id);
        if (fault === undefined) return 'unknown';
        if (fault.origin === 'declared') return 'declared';
        sql.remove.put({ ns, id });
        sql.noteFaultsChanged.put({});
        if (eventOf !== undefined) record(eventOf(fault));
        return 'deleted';
      });
      await known.afterChange();
      return outcome;
    },
    deleteAll: async (eventOf) => {
      const deleted = await write(lock, function* () {
        const runtime = yield* rowsOf('runtime');
        for (const row of runtime) {
          sql.remove.put({ ns, id: row.id });
          if (eventOf !== undefined) record(eventOf(faultOf(row)));
        }
        if (runtime.length > 0) sql.noteFaultsChanged.put({});
        return runtime.length;
      });
      await known.afterChange();
      return deleted;
    },
    meet: (ids) =>
      write([], function* () {
        const met = new Map<string, number>(ids.map((id) => [id, 0]));
        // A fixed order, so that two requests never deadlock on each other's faults.
        for (const id of ids.toSorted()) met.set(id, (yield* sql.meet.get({ ns, id }))?.met ?? 0);
        return met;
      }),
    claim: (id) =>
      write([], function* () {
        if ((yield* sql.claim.run({ ns, id, real: realClock.now() })) === 0) return false;
        // Used up: the other processes drop it from memory.
        if ((yield* sql.find.get({ ns, id }))?.remaining === 0) sql.noteFaultsChanged.put({});
        return true;
      }),
    noteFetch: async (id) => void (await write([], () => sql.noteFetch.run({ ns, id }))),
    declare: async (orders, generation) => {
      const present = (await read(() => rowsOf('declared'))).map(({ entry }) => entry);
      // Usually nothing changed, and a reload then writes nothing.
      if (haveSameOrders(present, orders)) return;
      await write(lock, function* () {
        if (generation !== undefined && (yield* known.refresh()) > generation) return;
        const { removed, added } = differentOrders(yield* rowsOf('declared'), orders);
        const real = realClock.now();
        for (const fault of added) insert(fault, 'declared', real);
        for (const { id } of removed) sql.remove.put({ ns, id });
        sql.noteFaultsChanged.put({});
      });
      await known.afterChange();
    },
  };
}
