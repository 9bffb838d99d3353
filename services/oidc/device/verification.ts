// GET and POST /device: a user types the code of a device, logs in and approves or denies (RFC 8628 §3.3, DEV-08 to
// DEV-19). Sessions of /login are neither used nor created here (LOG-29).

import { type AuditNote, audited } from '#shared/engine/exchange/audited.ts';
import { refuseCrossSite } from '#shared/engine/exchange/cross-site.ts';
import { notStored, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveClient, findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { attemptLogin, initialStep, refilledStep } from '#shared/engine/login/attempt-login.ts';
import type { CompletedLogin } from '#shared/engine/login/login-step.ts';
import { recordAttempt } from '#shared/engine/login/record-attempt.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { DeviceGrant } from '#shared/model/domain/device-grant.ts';
import { userCodeRefusals } from '#shared/model/refusals/families/device.ts';
import { refused } from '#shared/model/refusals/refusal.ts';
import { normalizeUserCode } from '#shared/protocol/oauth2/user-code.ts';
import {
  type CodeProblem,
  codeProblems,
  endPage,
  type FormProps,
  formPage,
  problemPage,
} from './verification-pages.tsx';

export async function getDevice(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  // A user who returns to this page sees the current state of the code.
  return notStored(await showCode(request, context));
}

async function showCode({ query }: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const userCode = query.value('user_code') ?? '';
  const step = initialStep(context, query.value('login_hint'));
  if (userCode === '') return showForm({ step, userCode, grant: undefined }, context);
  const grant = await findGrant(normalizeUserCode(userCode), context);
  const problem = problemOf(grant, context);
  // Reported at once, not after a login that could not help.
  const state = problem === undefined ? { grant } : { grant: undefined, codeError: codeProblems[problem] };
  return showForm({ step, userCode, ...state }, context);
}

const auditedAs = { event_type: 'device_verification', endpoint: '/device' } as const;

export const postDevice = audited(auditedAs, async (request, context, note) => {
  refuseCrossSite(request, context, 'login');
  const { form } = request;
  const userCode = normalizeUserCode(form.value('user_code') ?? '');
  if (userCode === '') {
    const codeError = 'Enter the code that your device shows.';
    return showForm({ step: refilledStep(form, context), userCode, codeError, grant: undefined }, context);
  }
  const grant = await findGrant(userCode, context);
  // User input may have any length.
  note.add({ client_id: grant?.client_id, details: { user_code: userCode.slice(0, 32) } });
  const problem = problemOf(grant, context);
  if (grant === undefined || problem !== undefined) return refuse(problem ?? 'unknown', userCode, context, note);
  const action = form.value('action') ?? 'authorize';
  if (action === 'deny') return deny(grant, request, context, note);
  if (action === 'authorize') return authorize(grant, request, context, note);
  const step = { ...initialStep(context), message: 'action must be authorize or deny.' };
  return showForm({ step, userCode, grant }, context);
});

function findGrant(userCode: string, { store, clock }: ProtocolContext): Promise<DeviceGrant | undefined> {
  return store.deviceGrants.findByUserCode(userCode, clock.now());
}

/** Why a code can no longer be decided. Then credentials are not checked (DEV-11 to DEV-14). */
function problemOf(grant: DeviceGrant | undefined, { clock }: ProtocolContext): CodeProblem | undefined {
  if (grant === undefined) return 'unknown';
  if (grant.decision.state !== 'pending') return 'decided';
  return clock.now() >= grant.expiresAt ? 'expired' : undefined;
}

function refuse(problem: CodeProblem, userCode: string, context: ProtocolContext, note: AuditNote): Reply {
  const codes = { unknown: 'user_code_unknown', decided: 'user_code_used', expired: 'user_code_expired' } as const;
  note.refused(refused(userCodeRefusals[codes[problem]]));
  return problemPage(problem, userCode, context);
}

/** Needs no credentials (DEV-16, LOG-23). */
async function deny(
  grant: DeviceGrant,
  request: ParsedRequest,
  context: ProtocolContext,
  note: AuditNote,
): Promise<Reply> {
  const userCode = grant.user_code;
  const pending = request.form.value('pending_second_factor');
  if (pending !== undefined) {
    const { browser } = await context.session();
    await context.store.secondFactors.discard({ id: pending, browser, surface: '/device', purpose: userCode });
  }
  const outcome = await context.store.deviceGrants.deny(userCode, context.clock.now());
  if (outcome !== 'denied') return refuse('decided', userCode, context, note);
  note.denied();
  return endPage('denied', context);
}

async function authorize(
  grant: DeviceGrant,
  request: ParsedRequest,
  context: ProtocolContext,
  note: AuditNote,
): Promise<Reply> {
  const userCode = grant.user_code;
  const step = await attemptLogin(request.form, context, { surface: '/device', purpose: userCode });
  const attempt = { surface: '/device', client_id: grant.client_id } as const;
  if (step.step === 'completed') {
    const reply = await approve(grant, step.login, context, note);
    await recordAttempt(step, attempt, request, context);
    return reply;
  }
  await recordAttempt(step, attempt, request, context);
  if (step.refused !== undefined) note.refused(step.refused, { username: step.username });
  return showForm({ step, userCode, grant }, context);
}

async function approve(
  grant: DeviceGrant,
  { username, authenticatedAt, method, amr, claims }: CompletedLogin,
  context: ProtocolContext,
  note: AuditNote,
): Promise<Reply> {
  const userCode = grant.user_code;
  const { snapshot, store, clock } = context;
  const user = await findEffectiveUser(snapshot, store, username);
  const client = await findEffectiveClient(snapshot, store, grant.client_id, clock.now());
  const instances = { clientInstance: client?.instanceId, userInstance: user?.instanceId };
  const approval = { username, ...instances, authenticatedAt, method, amr, claims };
  const outcome = await store.deviceGrants.approve(userCode, approval, clock.now());
  if (outcome !== 'approved') return refuse('decided', userCode, context, note);
  note.succeeded({ username }, { done: true });
  return endPage('approved', context);
}

async function showForm(
  { grant, ...props }: Omit<FormProps, 'client' | 'scope'> & { readonly grant: DeviceGrant | undefined },
  context: ProtocolContext,
): Promise<Reply> {
  return formPage({ ...props, client: await clientOf(grant, context), scope: grant?.scope ?? [] }, context);
}

async function clientOf(grant: DeviceGrant | undefined, context: ProtocolContext): Promise<Client | undefined> {
  if (grant === undefined) return undefined;
  const found = await findEffectiveClient(context.snapshot, context.store, grant.client_id, context.clock.now());
  return found?.client;
}
