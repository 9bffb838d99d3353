// Sessions. The write that ends sessions at a logout also stores their audit events and the deliveries to their
// participants.
import { familiesOfSession } from '#shared/model/domain/refresh-family.ts';
import type { Sessions, SessionWithParticipants } from '../ports/sessions.ts';
import type { AddLogoutDeliveries } from './logout-deliveries.ts';
import { loginLocks, type SessionRows } from './session-rows.ts';
import type { TokenMemory } from './token-memory.ts';
import type { OperationContext } from './work.ts';

export function sessions(
  { read, write, release, record }: OperationContext,
  rows: SessionRows,
  addDeliveries: AddLogoutDeliveries,
  memory: TokenMemory,
): Sessions {
  return {
    logIn: (login, now) => write(loginLocks(login), () => rows.logIn(login, now)),
    accounts: (cookie, clientId, limits, now) => read(() => rows.accounts(cookie, clientId, limits, now)),
    use: (sid, now) => write([], () => rows.use(sid, now)),
    join: (sid, participant, now) =>
      write([], function* () {
        return (yield* rows.use(sid, now)) && (yield* rows.join(sid, participant)) === 'joined';
      }),
    list: (filter, limits, now) => read(() => rows.list(filter, limits, now)),
    end: (filter, limits, now, event, telling) =>
      release('end of sessions', function* () {
        const ended: SessionWithParticipants[] = [];
        for (const session of yield* rows.list(filter, limits, now, true)) {
          // A login has evicted this session, and participants of evicted sessions are not notified.
          if (!(yield* rows.remove(session.sid))) continue;
          ended.push(session);
          record(event(session));
          if (telling === undefined) continue;
          addDeliveries(telling.deliveries(session), telling.until);
          const { revokesFamiliesUntil: until } = telling;
          if (until !== undefined) memory.remember('family', familiesOfSession(session.sid), 2, until);
        }
        return ended;
      }),
  };
}
