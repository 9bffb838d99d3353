// The outcome of a tried delivery: settled with its event, or due again.

import { instant } from '#shared/base/clock.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import { type DeliveryAnswer, judgeDelivery, type LogoutDelivery } from '#shared/model/domain/logout-delivery.ts';
import { auditMoment } from '#shared/model/domain/movable-clock.ts';
import type { LogoutContext } from './logout-context.ts';

interface SettledDelivery {
  readonly attempts: number;
  readonly delivered: boolean;
  readonly status: number | null;
  /** undefined: it was delivered. */
  readonly reason: string | undefined;
}

/** Returns whether it was delivered. `eventOf`: the audit event of the final outcome. */
export async function tryDelivery(
  delivery: LogoutDelivery,
  answer: DeliveryAnswer,
  { snapshot, store, clock, log }: Pick<LogoutContext, 'snapshot' | 'store' | 'clock' | 'log'>,
  eventOf: (settled: SettledDelivery) => Pick<AuditEvent, 'event_type' | 'client_id' | 'details'>,
): Promise<boolean> {
  const { id, sid, username } = delivery;
  const attempts = delivery.attempts + 1;
  const verdict = judgeDelivery(answer, attempts, snapshot.settings.logout.delivery_retries);
  if (verdict.outcome === 'again') {
    await store.logoutDeliveries.postpone(id, instant(clock.real() + verdict.afterMilliseconds));
    log.debug({ sid, attempts, reason: answer.reason }, 'a logout notification failed and is sent again');
    return false;
  }
  const delivered = verdict.outcome === 'delivered';
  const reason = delivered ? undefined : (answer.reason ?? 'the participant did not confirm the logout');
  await store.logoutDeliveries.settle(id, {
    status: delivered ? 'success' : 'failed',
    ...auditMoment(clock),
    username,
    ...eventOf({ attempts, delivered, status: answer.status ?? null, reason }),
  });
  return delivered;
}
