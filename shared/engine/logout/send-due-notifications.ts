// Sends notifications of participants that are due again, and those of a process that died. The first process that finds them sends
// them (LGO-16).
import { type DueDependencies, runDueWork } from '#shared/state/store/due-work.ts';
import type { LogoutContext } from './logout-context.ts';
import { sendDueNotifications } from './notify-participants.ts';

/** Returns a function that stops it and resolves when no delivery is running. */
export function keepSendingNotifications(deps: DueDependencies<LogoutContext>): () => Promise<void> {
  const { store, realClock } = deps;
  const namespaces = () => store.logoutDeliveries.namespacesWithDue(realClock.now());
  const send = (context: LogoutContext) => sendDueNotifications(context, realClock);
  return runDueWork(deps, namespaces, send, 'logout notifications are sent at the next check');
}
