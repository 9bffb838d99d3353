// The audit's `login` event of the surfaces whose request also has its own entry: /authorize and /device (AUD-23, D49).
import { AuditNote } from '#shared/engine/exchange/audited.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { LoginStep } from './login-step.ts';

interface Attempted {
  readonly surface: '/authorize' | '/device';
  readonly client_id: string;
}

const auditedAs = ({ surface }: Attempted) => ({ event_type: 'login', endpoint: surface }) as const;

/**
 * Records the outcome of an attempt. Records nothing where only the next screen follows. A success is marked as done
 * (decision 5).
 */
export async function recordAttempt(
  step: LoginStep,
  attempted: Attempted,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<void> {
  await noteOf(step, attempted).write(auditedAs(attempted), request, context);
}

/** The same, recorded together with the entry of the request, which follows soon. */
export function joinAttempt(
  step: LoginStep,
  attempted: Attempted,
  {
    request,
    context,
    note,
  }: { readonly request: ParsedRequest; readonly context: ProtocolContext; readonly note: AuditNote },
): void {
  note.joinedBy(noteOf(step, attempted), auditedAs(attempted), request, context);
}

function noteOf(step: LoginStep, { client_id }: Attempted): AuditNote {
  const note = new AuditNote();
  if (step.step === 'completed') note.succeeded({ username: step.login.username, client_id }, { done: true });
  else if (step.refused !== undefined) note.refused(step.refused, { username: step.username, client_id });
  return note;
}
