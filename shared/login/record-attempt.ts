// The audit's `login` event of the surfaces whose request has an entry of its own besides: /authorize and /device (AUD-23,
// D49).
import { AuditNote } from '#shared/http/pipeline/audited.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import type { LoginStep } from './login-step.ts';

interface Attempted {
  readonly surface: '/authorize' | '/device';
  readonly client_id: string;
}

/** Records what came of an attempt, and nothing where the next screen is merely due. A success is done (decision 5). */
export async function recordAttempt(
  step: LoginStep,
  { surface, client_id }: Attempted,
  request: ParsedRequest,
  context: RequestContext,
): Promise<void> {
  const note = new AuditNote();
  if (step.step === 'completed') note.succeeded({ username: step.login.username, client_id }, { done: true });
  else if (step.refused !== undefined) note.refused(step.refused, { username: step.username, client_id });
  await note.write({ event_type: 'login', endpoint: surface }, request, context);
}
