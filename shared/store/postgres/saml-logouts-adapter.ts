// Single logouts under way, and what is remembered of sessions that ended, in PostgreSQL.
import { plusSeconds } from '#shared/clock.ts';
import { isWithinBound } from '#shared/domain/byte-bounds.ts';
import { endedAssertionsMax, isLogoutLive, markOfName, samlLogoutSeconds } from '#shared/domain/saml-logout.ts';
import { encode } from '../json-columns.ts';
import type { SamlLogouts } from '../ports/saml-logouts.ts';
import { samlLogoutTexts } from '../statements/saml-logouts.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import { type NamespaceContext, purgeOf } from './namespace-context.ts';
import { prepared } from './statement.ts';

const sql = prepared({
  ...samlLogoutTexts({
    ended: "((record::json ->> 'ended')::boolean)::int",
    beyond: (kept) => `OFFSET ${kept}`,
    given: 'json_array_elements(@given::json)',
  }),
  purge: purgeOf('saml_logouts'),
  purgeEnded: purgeOf('ended_assertions'),
});

export function samlLogoutsAdapter(context: NamespaceContext): SamlLogouts {
  const { database, ns } = context;
  const isRoomFor = byteBoundsOf(context);
  return {
    begin: (logout, now) =>
      database.write('saml_logouts', async (on) => {
        await sql.purge.run(on, { ns, now });
        const expires_at = plusSeconds(logout.begunAt, samlLogoutSeconds);
        const record = encode(logout);
        // Nothing gives way to what finds no room in an empty store.
        if (!isWithinBound('saml_logouts', 0, Buffer.byteLength(record))) return;
        while (!(await isRoomFor(on, 'saml_logouts', record)))
          if ((await sql.removeOldest.run(on, { ns })) === 0) return;
        await sql.insert.run(on, { ns, id: logout.id, record, expires_at });
        await sql.makeRoom.run(on, { ns });
      }),
    recent: (now) =>
      database.read(async (on) =>
        (await sql.all.all(on, { ns })).map(({ record }) => record).filter((logout) => isLogoutLive(logout, now)),
      ),
    change: (id, now, change) =>
      database.write('saml_logouts', async (on) => {
        const logout = (await sql.find.get(on, { ns, id }))?.record;
        const changed = logout && isLogoutLive(logout, now) ? change(logout) : undefined;
        if (changed !== undefined) await sql.update.run(on, { ns, id, record: encode(changed) });
        return changed;
      }),
    keepEnded: (assertions, now) =>
      database.write('ended_assertions', async (on) => {
        sql.purgeEnded.put(on, { ns, now });
        const expires_at = plusSeconds(now, samlLogoutSeconds);
        const given = assertions.slice(-endedAssertionsMax).map((each) => [markOfName(each), each.session_index]);
        sql.keepEnded.put(on, { ns, given: encode(given), expires_at });
        sql.makeRoomForEnded.put(on, { ns });
      }),
    endedUnder: (marks, now) =>
      database.read(async (on) => {
        const latest = plusSeconds(now, samlLogoutSeconds);
        const found = await Promise.all(marks.map((mark) => sql.endedUnder.all(on, { ns, mark, now, latest })));
        return found.flat().map(({ session_index }) => session_index);
      }),
  };
}
