// GET and POST /device: a person types the code of a device, logs in and approves or denies (RFC 8628 §3.3, DEV-08 to
// DEV-19). Sessions of /login are neither used nor made here (LOG-29).
import type { Client } from '#shared/configuration/model/client-entry.ts';
import type { DeviceGrant } from '#shared/domain/device-grant.ts';
import { findEffectiveClient } from '#shared/domain/effective-identities.ts';
import { notStored, type Reply } from '#shared/http/reply.ts';
import { auditEvent, type ParsedRequest, type RequestContext } from '#shared/http/request.ts';
import { attemptLogin, initialStep, refilledStep } from '#shared/login/attempt-login.ts';
import type { CompletedLogin } from '#shared/login/login-step.ts';
import { normalizeUserCode } from '#shared/protocol/oauth2/user-code.ts';
import {
  type CodeProblem,
  codeProblems,
  endPage,
  type FormProps,
  formPage,
  problemPage,
} from './verification-pages.tsx';

export async function getDevice(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  // Who comes back to this page hears what became of the code since.
  return notStored(await showCode(request, context));
}

async function showCode({ query }: ParsedRequest, context: RequestContext): Promise<Reply> {
  const userCode = query.value('user_code') ?? '';
  if (userCode === '') return showForm({ step: initialStep(context), userCode, grant: undefined }, context);
  const grant = await findGrant(normalizeUserCode(userCode), context);
  const problem = problemOf(grant, context);
  // Said at once, not after a login that could not help.
  const state = problem === undefined ? { grant } : { grant: undefined, codeError: codeProblems[problem] };
  return showForm({ step: initialStep(context), userCode, ...state }, context);
}

export async function postDevice(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const { form } = request;
  const userCode = normalizeUserCode(form.value('user_code') ?? '');
  if (userCode === '') {
    const codeError = 'Enter the code that your device shows.';
    return showForm({ step: refilledStep(form, context), userCode, codeError, grant: undefined }, context);
  }
  const grant = await findGrant(userCode, context);
  const problem = problemOf(grant, context);
  if (grant === undefined || problem !== undefined) {
    return refuse(problem ?? 'unknown', userCode, grant, request, context);
  }
  const action = form.value('action') ?? 'authorize';
  if (action === 'deny') return deny(grant, request, context);
  if (action === 'authorize') return authorize(grant, request, context);
  const step = { ...initialStep(context), message: 'The action must be authorize or deny.' };
  return showForm({ step, userCode, grant }, context);
}

function findGrant(userCode: string, { store, clock }: RequestContext): Promise<DeviceGrant | undefined> {
  return store.deviceGrants.findByUserCode(userCode, clock.now());
}

/** Why a code cannot be decided any more; credentials are not looked at then (DEV-11 to DEV-14). */
function problemOf(grant: DeviceGrant | undefined, { clock }: RequestContext): CodeProblem | undefined {
  if (grant === undefined) return 'unknown';
  if (grant.decision.state !== 'pending') return 'decided';
  return clock.now() >= grant.expiresAt ? 'expired' : undefined;
}

async function refuse(
  problem: CodeProblem,
  userCode: string,
  grant: DeviceGrant | undefined,
  request: ParsedRequest,
  context: RequestContext,
): Promise<Reply> {
  const reasons = { unknown: 'unknown user code', decided: 'user code already used', expired: 'user code expired' };
  await record('failed', { userCode, grant, reason: reasons[problem] }, request, context);
  return problemPage(problem, userCode, context);
}

/** Needs no credentials (DEV-16, LOG-23). */
async function deny(grant: DeviceGrant, request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const userCode = grant.user_code;
  const pending = request.form.value('pending_second_factor');
  if (pending !== undefined) {
    const { browser } = await context.session();
    await context.store.secondFactors.discard({ id: pending, browser, surface: '/device', purpose: userCode });
  }
  const outcome = await context.store.deviceGrants.deny(userCode, context.clock.now());
  if (outcome !== 'denied') return refuse('decided', userCode, grant, request, context);
  await record('denied', { userCode, grant }, request, context);
  return endPage('denied', context);
}

async function authorize(grant: DeviceGrant, request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const userCode = grant.user_code;
  const step = await attemptLogin(request.form, context, { surface: '/device', purpose: userCode });
  if (step.step === 'completed') return approve(grant, step.login, request, context);
  if (step.reason !== undefined) {
    await record('failed', { userCode, grant, reason: step.reason, username: step.username }, request, context);
  }
  return showForm({ step, userCode, grant }, context);
}

async function approve(
  grant: DeviceGrant,
  { username, authenticatedAt, method, amr }: CompletedLogin,
  request: ParsedRequest,
  context: RequestContext,
): Promise<Reply> {
  const userCode = grant.user_code;
  const approval = { username, authenticatedAt, method, amr };
  const outcome = await context.store.deviceGrants.approve(userCode, approval, context.clock.now());
  if (outcome !== 'approved') return refuse('decided', userCode, grant, request, context);
  await record('success', { userCode, grant, username }, request, context);
  return endPage('approved', context);
}

async function showForm(
  { grant, ...props }: Omit<FormProps, 'client' | 'scope'> & { readonly grant: DeviceGrant | undefined },
  context: RequestContext,
): Promise<Reply> {
  return formPage({ ...props, client: await clientOf(grant, context), scope: grant?.scope ?? [] }, context);
}

async function clientOf(grant: DeviceGrant | undefined, context: RequestContext): Promise<Client | undefined> {
  if (grant === undefined) return undefined;
  const found = await findEffectiveClient(context.snapshot, context.store, grant.client_id, context.clock.now());
  return found?.client;
}

interface Verification {
  readonly userCode: string;
  readonly grant: DeviceGrant | undefined;
  readonly reason?: string;
  readonly username?: string | undefined;
}

function record(
  status: 'success' | 'denied' | 'failed',
  { userCode, grant, reason, username }: Verification,
  request: ParsedRequest,
  context: RequestContext,
): Promise<void> {
  return context.audit.record(
    auditEvent(request, context, {
      event_type: 'device_verification',
      endpoint: '/device',
      status,
      username,
      client_id: grant?.client_id,
      // What a stranger typed may be of any length.
      details: { user_code: userCode.slice(0, 32), ...(reason === undefined ? {} : { reason }) },
    }),
    { done: status !== 'failed' },
  );
}
