// The faults that a request may meet (shared/engine/faults), as the pipeline and the audit use them. Most requests have
// none.
import type { Reply } from './reply.ts';

export interface ActiveFault {
  /** Decides, before the entry of the request is recorded, whether a fault changes this response or rejection. */
  settle(answer: { readonly reply: Reply } | { readonly error: unknown }): Promise<void>;
  /** For the details of the entry: the fault that fired, if one did. */
  forEntry(): Readonly<Record<string, unknown>> | undefined;
}
