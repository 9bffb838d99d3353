// What a request in hand tells the recorder of itself (section REC); undefined where nothing is recorded.

import type { FlowKey } from '#shared/engine/recorder/observed-exchange.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { Reply } from './reply.ts';

export interface Recording {
  /** The id by which pages find the request's flow (`/flows?request=`); undefined while the recorder is off. */
  readonly requestId: string | undefined;
  /** What the audit is about to say of the request. */
  hears(event: AuditEvent): void;
  /** The answer or refusal is decided, and the next event goes with it into one commit (REC-09). */
  settle(answer: { readonly reply: Reply } | { readonly error: unknown }): Promise<void> | undefined;
  /** It belongs to the flow of that session or logout. */
  belongsTo(flow: FlowKey): void;
  /** What it was said to belong to. */
  readonly flows: readonly FlowKey[];
  /** A fault has fired. */
  fired(name: string): void;
}
