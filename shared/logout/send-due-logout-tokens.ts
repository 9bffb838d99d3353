// Logout tokens that are due again, and those of a process that died, are sent by whichever process looks first (LGO-16).
import { type DueDependencies, keepDoingWhatIsDue } from '#shared/keep-looking.ts';
import { tellDue } from './tell-participants.ts';
import type { TellingContext } from './telling-context.ts';

/** Answers how to stop; resolves when nothing is under way any more. */
export function keepSendingLogoutTokens(deps: DueDependencies<TellingContext>): () => Promise<void> {
  const { store, realClock } = deps;
  const namespaces = () => store.logoutDeliveries.namespacesWithDue(realClock.now());
  const tellThose = (context: TellingContext) => tellDue(context, realClock);
  return keepDoingWhatIsDue(deps, namespaces, tellThose, 'logout tokens are sent at the next look');
}
