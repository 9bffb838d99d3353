// Active single logouts, and the stored assertions of ended sessions.
import * as z from 'zod';
import { plusSeconds } from '#shared/base/clock.ts';
import { isWithinBound } from '#shared/model/domain/byte-bounds.ts';
import {
  endedAssertionsMax,
  isLogoutLive,
  markOfName,
  samlLogoutSeconds,
  samlLogoutsMax,
} from '#shared/model/domain/saml-logout.ts';
import { encode, encoded, samlLogoutShape } from '../json-columns.ts';
import type { SamlLogouts } from '../ports/saml-logouts.ts';
import { command, query, removeBeyond, type StatementTexts } from '../statements/text.ts';
import { type Dialect, type OperationContext, writing } from './work.ts';

const logoutRow = z.object({ record: encoded(samlLogoutShape) });

/** Logouts that have ended are evicted before active ones. */
const texts = ({ purge, flag, beyond, elements }: Dialect) =>
  ({
    purge: purge('saml_logouts'),
    purgeEnded: purge('ended_assertions'),
    insert: command(
      'INSERT INTO saml_logouts (namespace, id, record, expires_at) VALUES (@ns, @id, @record, @expires_at)',
    ),
    removeOldest: command(
      `DELETE FROM saml_logouts WHERE seq = (
         SELECT seq FROM saml_logouts WHERE namespace = @ns ORDER BY ${flag('record', 'ended')} DESC, seq LIMIT 1)`,
    ),
    removeBeyondMax: command(
      `DELETE FROM saml_logouts WHERE seq IN (
         SELECT seq FROM saml_logouts WHERE namespace = @ns
         ORDER BY ${flag('record', 'ended')}, seq DESC ${beyond(samlLogoutsMax)})`,
    ),
    all: query('SELECT record FROM saml_logouts WHERE namespace = @ns ORDER BY seq DESC', logoutRow),
    find: query('SELECT record FROM saml_logouts WHERE namespace = @ns AND id = @id', logoutRow),
    update: command('UPDATE saml_logouts SET record = @record WHERE namespace = @ns AND id = @id'),
    keepEnded: command(
      `INSERT INTO ended_assertions (namespace, mark, session_index, expires_at)
       SELECT @ns, value ->> 0, value ->> 1, @expires_at FROM ${elements('@given')}`,
    ),
    removeEndedBeyondMax: removeBeyond('ended_assertions', endedAssertionsMax),
    // A row with an end later than now has not ended: the clock was moved back.
    endedUnder: query(
      `SELECT session_index FROM ended_assertions
       WHERE namespace = @ns AND mark = @mark AND expires_at > @now AND expires_at <= @latest`,
      z.object({ session_index: z.string() }),
    ),
  }) satisfies StatementTexts;

export function samlLogouts({ ns, prepare, read, write, hasRoomFor }: OperationContext): SamlLogouts {
  const sql = prepare(texts);
  return {
    begin: (logout, now) =>
      write('saml_logouts', function* () {
        sql.purge.put({ ns, now });
        const record = encode(logout);
        // A record that exceeds the bound of an empty store evicts nothing.
        if (!isWithinBound('saml_logouts', 0, Buffer.byteLength(record))) return;
        while (!(yield* hasRoomFor('saml_logouts', record))) {
          if ((yield* sql.removeOldest.run({ ns })) === 0) return;
        }
        sql.insert.put({ ns, id: logout.id, record, expires_at: plusSeconds(logout.begunAt, samlLogoutSeconds) });
        sql.removeBeyondMax.put({ ns });
      }),
    recent: (now) =>
      read(function* () {
        const all = yield* sql.all.all({ ns });
        return all.map(({ record }) => record).filter((logout) => isLogoutLive(logout, now));
      }),
    change: (id, now, change) =>
      write('saml_logouts', function* () {
        const logout = (yield* sql.find.get({ ns, id }))?.record;
        const changed = logout && isLogoutLive(logout, now) ? change(logout) : undefined;
        if (changed !== undefined) sql.update.put({ ns, id, record: encode(changed) });
        return changed;
      }),
    keepEnded: (assertions, now) =>
      write('ended_assertions', () =>
        writing(() => {
          sql.purgeEnded.put({ ns, now });
          const given = assertions.slice(-endedAssertionsMax).map((each) => [markOfName(each), each.session_index]);
          sql.keepEnded.put({ ns, given: encode(given), expires_at: plusSeconds(now, samlLogoutSeconds) });
          sql.removeEndedBeyondMax.put({ ns });
        }),
      ),
    endedUnder: (marks, now) =>
      read(function* () {
        const latest = plusSeconds(now, samlLogoutSeconds);
        const indexes: string[] = [];
        for (const finding of marks.map((mark) => sql.endedUnder.all({ ns, mark, now, latest }))) {
          indexes.push(...(yield* finding).map(({ session_index }) => session_index));
        }
        return indexes;
      }),
  };
}
