// Turns an unfinished login step into the response of an authorization request: another screen, or an error to the
// client (AUT-48, AUT-54, AUT-58, AUT-61). continue-authorization.ts handles a completed login.
import type { AuditNote } from '#shared/engine/exchange/audited.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { SecondFactorStep } from '#shared/engine/login/login-step.ts';
import { loginRefusals } from '#shared/model/refusals/families/login.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import type { FormTarget, ShownStep } from '#shared/web/pages/login/login-screens.tsx';
import { loginStepReply } from '#shared/web/pages/login/login-step-reply.ts';
import { beginTransaction } from './begin-transaction.ts';
import { RefusalForClient } from './client-response.ts';
import { type LoginInProgress, unknownTransaction } from './find-login.ts';

export async function answerLoginStep(
  step: ShownStep,
  inProgress: LoginInProgress,
  request: ParsedRequest,
  context: ProtocolContext,
  note: AuditNote,
): Promise<Reply> {
  const { transaction } = inProgress;
  if (step.step === 'ended') {
    // A concurrent POST has just used the second factor and owns the transaction now.
    if (step.cause === 'expired') throw unknownTransaction();
    await context.store.transactions.end(transaction.transaction_id, context.clock.now());
    throw new RefusalForClient(oauthError(loginRefusals.login_settings_changed), transaction.request);
  }
  await stillPending(inProgress, context);
  const { username, refused } = step;
  if (refused !== undefined) note.refused(refused, { username, client_id: transaction.request.client_id });
  const shown = step.step === 'second_factor' ? await keepWaiting(step, inProgress, context) : inProgress;
  return loginPage(step, shown, request, context);
}

/** A concurrent POST may have completed the login since this one found it. Then its second factor is deleted, too. */
async function stillPending(
  { transaction, stored }: LoginInProgress,
  { store, clock }: ProtocolContext,
): Promise<void> {
  if (!stored) return;
  const found = await store.transactions.find(transaction.transaction_id, transaction.browser, clock.now());
  if (found === undefined) throw unknownTransaction();
}

/**
 * The page of a login in progress. Forms of a stored transaction name it. Those of a direct POST go back to the same
 * query (AUT-01, AUT-38).
 */
export async function loginPage(
  step: ShownStep,
  { transaction, stored, client }: LoginInProgress,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<Reply> {
  const target = formTarget({ transaction, stored }, request);
  return loginStepReply({ step, ...target, client: client.client, cancel: target }, context);
}

/** The address that the forms of a page are posted to. */
export function formTarget(
  { transaction, stored }: Pick<LoginInProgress, 'transaction' | 'stored'>,
  { rawQuery }: Pick<ParsedRequest, 'rawQuery'>,
): FormTarget {
  return stored
    ? { action: '/authorize', hidden: [['transaction_id', transaction.transaction_id]] }
    : { action: `/authorize?${rawQuery}`, hidden: [] };
}

/** A direct POST that still needs a second factor gets a stored transaction after all (AUT-37, AUT-54, D39). */
async function keepWaiting(
  step: SecondFactorStep,
  inProgress: LoginInProgress,
  context: ProtocolContext,
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
