// What a running request reports to the recorder (section REC); undefined where nothing is recorded.

import type { FlowKey } from '#shared/engine/recorder/observed-exchange.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { RedirectUriLeniency } from '#shared/model/domain/exchange.ts';
import type { Reply } from './reply.ts';

export interface Recording {
  /** The id by which pages find the request's flow (`/flows?request=`); undefined while the recorder is off. */
  readonly requestId: string | undefined;
  /** Receives the audit event before it is recorded. */
  noteEvent(event: AuditEvent): void;
  /** The response or rejection is decided. The next event is recorded with it in one commit (REC-09). */
  settle(answer: { readonly reply: Reply } | { readonly error: unknown }): Promise<void> | undefined;
  /** The request belongs to the flow of that session or logout. */
  belongsTo(flow: FlowKey): void;
  /** The flows from `belongsTo`. */
  readonly flows: readonly FlowKey[];
  /** A fault has fired. */
  fired(name: string): void;
  /** The redirect URI was accepted. Empty: every profile accepts it (SHV-01). */
  acceptedLeniently(because: readonly RedirectUriLeniency[]): void;
}
