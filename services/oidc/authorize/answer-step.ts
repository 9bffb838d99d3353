// What a login step means for an authorization request: a code, another page, or an error to the client. The only place
// that decides the next screen of /authorize (AUT-48, AUT-54, AUT-58, AUT-61).
import type { Reply } from '#shared/http/reply.ts';
import { auditEvent, type ParsedRequest, type RequestContext } from '#shared/http/request.ts';
import type { ShownStep } from '#shared/login/login-screens.tsx';
import type { LoginStep, SecondFactorStep } from '#shared/login/login-step.ts';
import { loginStepReply } from '#shared/login/login-step-reply.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { beginTransaction } from './begin-transaction.ts';
import { RefusalForClient } from './client-response.ts';
import { completeLogin } from './complete-login.ts';
import { type LoginInProgress, unknownTransaction } from './find-login.ts';

export async function answerStep(
  step: LoginStep,
  inProgress: LoginInProgress,
  request: ParsedRequest,
  context: RequestContext,
): Promise<Reply> {
  switch (step.step) {
    case 'completed':
      return completeLogin(inProgress, step.login, request, context);
    case 'first_factor':
      if (step.reason !== undefined) await recordFailure(step.reason, step.username, inProgress, request, context);
      return loginPage(step, inProgress, request, context);
    case 'second_factor':
      if (step.reason !== undefined) await recordFailure(step.reason, step.username, inProgress, request, context);
      return loginPage(step, await keepWaiting(step, inProgress, context), request, context);
    case 'full':
      await recordFailure(step.reason, step.username, inProgress, request, context);
      return loginPage(step, inProgress, request, context);
    case 'ended':
      // Another POST used the second factor a moment ago and owns the transaction now.
      if (step.cause === 'expired') throw unknownTransaction();
      await context.store.transactions.end(inProgress.transaction.transaction_id, context.clock.now());
      throw new RefusalForClient(
        new OAuthError('access_denied', step.message, { reason: step.reason }),
        inProgress.transaction.request,
      );
  }
}

/**
 * The page of a login in progress. Forms of a stored transaction name it; those of a direct POST go back to the same
 * query (AUT-01, AUT-38).
 */
export async function loginPage(
  step: ShownStep,
  { transaction, stored, client }: LoginInProgress,
  request: ParsedRequest,
  context: RequestContext,
): Promise<Reply> {
  const target = stored
    ? { action: '/authorize', hidden: [['transaction_id', transaction.transaction_id] as const] }
    : { action: `/authorize?${request.rawQuery}`, hidden: [] };
  return loginStepReply({ step, ...target, client: client.client }, context);
}

/** A direct POST whose second factor is still to come needs a stored transaction after all (AUT-37, AUT-54, D39). */
async function keepWaiting(
  step: SecondFactorStep,
  inProgress: LoginInProgress,
  context: RequestContext,
): Promise<LoginInProgress> {
  if (inProgress.stored) return inProgress;
  const { transaction } = inProgress;
  try {
    await beginTransaction(transaction, context);
  } catch (error) {
    const { browser, transaction_id: purpose } = transaction;
    await context.store.secondFactors.discard({ id: step.id, browser, surface: '/authorize', purpose });
    throw error;
  }
  return { ...inProgress, stored: true };
}

function recordFailure(
  reason: string,
  username: string | undefined,
  { transaction }: LoginInProgress,
  request: ParsedRequest,
  context: RequestContext,
): Promise<void> {
  return context.audit.record(
    auditEvent(request, context, {
      event_type: 'authorization_request',
      endpoint: '/authorize',
      status: 'failed',
      username,
      client_id: transaction.request.client_id,
      details: { reason },
    }),
  );
}
