// The audit entry of an endpoint, written in one place. The endpoint adds what it knows to the note. The entry is
// recorded before the response is sent (AUD-09). A completed change is recorded even when the endpoint fails afterwards
// (decision 5).
import type { AuditEvent, AuditEventType } from '#shared/model/audit/audit-event.ts';
import { auditedParameters, withoutSecretsOfAddresses } from '#shared/model/audit/audited-request.ts';
import { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import { detailsOf, type Refused, RefusedError } from '#shared/model/refusals/refusal.ts';
import { ConfigurationUnavailableError } from '#shared/state/configuration/active-configuration.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import type { Reply } from './reply.ts';
import { auditEvent, type Endpoint, type ParsedRequest, type ProtocolContext } from './request.ts';
import { ApiError, PageError } from './route.ts';

/** The facts of the request in the entry, for every outcome. */
type Known = Pick<AuditEvent, 'username' | 'client_id' | 'details'>;

interface Outcome extends Known {
  readonly status: AuditEvent['status'];
  readonly event_type: AuditEventType | undefined;
}

type Answered = { readonly reply: Reply } | { readonly error: unknown };

interface AuditedAs {
  readonly event_type: AuditEventType;
  /** The canonical path (AUD-11); left out: the path as requested. */
  readonly endpoint?: string;
}

export type AuditedEndpoint<Context extends ProtocolContext = ProtocolContext> = (
  request: ParsedRequest,
  context: Context,
  note: AuditNote,
) => Promise<Reply>;

/**
 * Collects the one entry of a request. Without any outcome no entry is written. A later value replaces an earlier one.
 */
export class AuditNote {
  #known: Known = {};
  #ofRefusal: AuditEvent['details'] = {};
  #outcome: Outcome | undefined;
  #done = false;
  readonly #joined: { readonly event: AuditEvent; readonly done: boolean }[] = [];

  /** Adds what applies to every outcome. */
  add(known: Known): void {
    this.#known = merged(this.#known, known);
  }

  /** Details for the entry only if the request is rejected. */
  onRejection(details: NonNullable<AuditEvent['details']>): void {
    this.#ofRefusal = together(this.#ofRefusal, details);
  }

  /** `done`: a change was made that cannot be undone, so a busy audit must not lose the entry (decision 5). */
  succeeded(known: Known = {}, { done = false }: { readonly done?: boolean } = {}): void {
    this.#outcome = outcomeOf('success', known);
    this.#done = done;
  }

  /** A person denied the request, which is also a completed action. */
  denied(known: Known = {}): void {
    this.#outcome = outcomeOf('denied', known);
    this.#done = true;
  }

  /** Rejected with the endpoint's own response. A thrown rejection does not need this call. */
  refused(refusal: Refused, known: Known & { readonly event_type?: AuditEventType } = {}): void {
    const { username = refusal.username, client_id, details, event_type } = known;
    const all = { ...detailsOf(refusal), ...this.#ofRefusal, ...details };
    const entry = { username, client_id, details: withoutSecretsOfAddresses(all) };
    this.#outcome = outcomeOf('failed', entry, event_type);
  }

  /** A failure whose reason the audit does not record (AUD-17, AUD-26). */
  failed(known: Known & { readonly event_type?: AuditEventType } = {}): void {
    this.#outcome = outcomeOf('failed', known, known.event_type);
  }

  /** A failure was recorded already: the rejection that is thrown after it has the same reason. */
  get hasFailed(): boolean {
    return this.#outcome?.status === 'failed';
  }

  /** Adds a separate entry before this one, recorded together with it, with what is known at that time. */
  joinedBy(other: AuditNote, as: AuditedAs, request: ParsedRequest, context: ProtocolContext): void {
    const event = other.#event(as, request, context);
    if (event !== undefined) this.#joined.push({ event, done: other.#done });
  }

  /** Records the entry, if there is one. `answer`: given where the entry covers the whole request. */
  async write(as: AuditedAs, request: ParsedRequest, context: ProtocolContext, answer?: Answered): Promise<void> {
    const event = this.#event(as, request, context, answer);
    if (event !== undefined) {
      // An active fault may still change the response, so such a request is recorded at its end.
      const kept = answer !== undefined && context.fault === undefined ? context.recording?.settle(answer) : undefined;
      if (kept !== undefined) await kept;
    }
    if (this.#joined.length === 0) {
      if (event !== undefined) await context.audit.record(event, { done: this.#done });
      return;
    }
    const entries = [...this.#joined.splice(0), ...(event === undefined ? [] : [{ event, done: this.#done }])];
    // A failed entry must not lose the other completed ones (AUD-09).
    const outcomes = await Promise.allSettled(
      entries.map((entry) => context.audit.record(entry.event, { done: entry.done })),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  #event(as: AuditedAs, request: ParsedRequest, context: ProtocolContext, answer?: Answered): AuditEvent | undefined {
    if (this.#outcome === undefined) return undefined;
    const { status, event_type = as.event_type, username, client_id, details } = this.#outcome;
    const known = this.#known;
    const endpoint = as.endpoint ?? request.path;
    const event = auditEvent(request, context, {
      event_type,
      endpoint,
      status,
      username: username ?? known.username,
      client_id: client_id ?? known.client_id,
      details: together(known.details, together(details, context.fault?.forEntry())),
      request: {
        id: context.recording?.requestId,
        status: answer && statusOf(answer),
        parameters: auditedParameters(request.query, request.form),
      },
    });
    context.recording?.noteEvent(event);
    return event;
  }
}

export function audited<Context extends ProtocolContext>(
  as: AuditedAs,
  answer: AuditedEndpoint<Context>,
): Endpoint<Context> {
  return async (request, context) => {
    const note = new AuditNote();
    let reply: Reply;
    try {
      reply = await answer(request, context, note);
      await context.fault?.settle({ reply });
    } catch (error) {
      try {
        await context.fault?.settle({ error });
      } finally {
        if (error instanceof RefusedError && error.refusal.unrecorded !== true && !note.hasFailed) note.refused(error);
        await note.write(as, request, context, { error });
      }
      throw error;
    }
    await note.write(as, request, context, { reply });
    return reply;
  };
}

/** The status that error-reply.ts will send. */
function statusOf(answer: Answered): number {
  if ('reply' in answer) return answer.reply.status;
  const { error } = answer;
  if (error instanceof OAuthError || error instanceof ApiError || error instanceof PageError) return error.status;
  return error instanceof RuntimeStoreUnavailableError || error instanceof ConfigurationUnavailableError ? 503 : 500;
}

function merged(before: Known, after: Known): Known {
  return {
    username: after.username ?? before.username,
    client_id: after.client_id ?? before.client_id,
    details: together(before.details, after.details),
  };
}

// Member by member, for speed: `{ ...known, status }` takes microseconds, and most requests run this.

function outcomeOf(status: Outcome['status'], known: Known, event_type?: AuditEventType): Outcome {
  return { status, event_type, username: known.username, client_id: known.client_id, details: known.details };
}

function together(before: AuditEvent['details'], after: AuditEvent['details']): AuditEvent['details'] {
  if (after === undefined || isEmpty(after)) return before;
  return before === undefined || isEmpty(before) ? after : { ...before, ...after };
}

function isEmpty(details: NonNullable<AuditEvent['details']>): boolean {
  for (const _ in details) return false;
  return true;
}
