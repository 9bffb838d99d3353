// Single logouts under way, and what is remembered of sessions that ended, in SQLite.
import { plusSeconds } from '#shared/clock.ts';
import { isWithinBound } from '#shared/domain/byte-bounds.ts';
import { endedAssertionsMax, isLogoutLive, markOfName, samlLogoutSeconds } from '#shared/domain/saml-logout.ts';
import { encode } from '../json-columns.ts';
import type { SamlLogouts } from '../ports/saml-logouts.ts';
import { samlLogoutTexts } from '../statements/saml-logouts.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import { type NamespaceContext, purgeOf } from './namespace-context.ts';

const texts = {
  ...samlLogoutTexts({
    ended: "(record ->> '$.ended')",
    beyond: (kept) => `LIMIT -1 OFFSET ${kept}`,
    given: 'json_each(@given)',
  }),
  purge: purgeOf('saml_logouts'),
  purgeEnded: purgeOf('ended_assertions'),
};

export function samlLogoutsAdapter(context: NamespaceContext): SamlLogouts {
  const { database, ns } = context;
  const sql = database.prepare(texts);
  const isRoomFor = byteBoundsOf(context);
  return {
    begin: (logout, now) =>
      database.write(() => {
        sql.purge.run({ ns, now });
        const expires_at = plusSeconds(logout.begunAt, samlLogoutSeconds);
        const record = encode(logout);
        // Nothing gives way to what finds no room in an empty store.
        if (!isWithinBound('saml_logouts', 0, Buffer.byteLength(record))) return;
        while (!isRoomFor('saml_logouts', record)) if (sql.removeOldest.run({ ns }) === 0) return;
        sql.insert.run({ ns, id: logout.id, record, expires_at });
        sql.makeRoom.run({ ns });
      }),
    recent: (now) =>
      database.read(() =>
        sql.all
          .all({ ns })
          .map(({ record }) => record)
          .filter((logout) => isLogoutLive(logout, now)),
      ),
    change: (id, now, change) =>
      database.write(() => {
        const logout = sql.find.get({ ns, id })?.record;
        const changed = logout && isLogoutLive(logout, now) ? change(logout) : undefined;
        if (changed !== undefined) sql.update.run({ ns, id, record: encode(changed) });
        return changed;
      }),
    keepEnded: (assertions, now) =>
      database.write(() => {
        sql.purgeEnded.run({ ns, now });
        const expires_at = plusSeconds(now, samlLogoutSeconds);
        const given = assertions.slice(-endedAssertionsMax).map((each) => [markOfName(each), each.session_index]);
        sql.keepEnded.run({ ns, given: encode(given), expires_at });
        sql.makeRoomForEnded.run({ ns });
      }),
    endedUnder: (marks, now) =>
      database.read(() => {
        const latest = plusSeconds(now, samlLogoutSeconds);
        const found = marks.flatMap((mark) => sql.endedUnder.all({ ns, mark, now, latest }));
        return found.map(({ session_index }) => session_index);
      }),
  };
}
