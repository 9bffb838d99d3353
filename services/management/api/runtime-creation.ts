// The response of every POST of /api/runtime (RUN-01 to RUN-10): 201 with the new object, or a rejection.

import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import type { RuntimeKind } from '#shared/model/domain/runtime-identity.ts';
import type { CreateRuntime, Creation } from '../runtime-identities/create-runtime-identity.ts';
import { identityEvent } from './runtime-events.ts';
import { replacementEvent } from './runtime-object.ts';
import { creationRefusal, entryOf, unusableFiles } from './runtime-refusals.ts';

interface CreationParts<Made> {
  readonly kind: RuntimeKind;
  readonly create: CreateRuntime<Made, ManagementContext>;
  shown(made: Made, context: ManagementContext): object;
  /** Called when the new object replaced one with the same name. */
  onReplaced?(made: Made, request: ParsedRequest, context: ManagementContext): Promise<void>;
}

export function creationEndpoint<Made>({ kind, create, shown, onReplaced }: CreationParts<Made>) {
  return async (request: ParsedRequest, context: ManagementContext): Promise<Reply> => {
    const entry = entryOf(kind, request);
    const replaced = replacementEvent(kind, request, context);
    const created = (name: string) => identityEvent('runtime_identity_created', kind, name, request, context);
    let creation: Creation<Made>;
    try {
      creation = await create(entry, { created, replaced }, context);
    } catch (error) {
      return unusableFiles(error, context);
    }
    if (creation.outcome !== 'created') throw creationRefusal(kind, creation);
    const { made, warnings } = creation;
    if (replaced !== undefined) await onReplaced?.(made, request, context);
    return json(201, { ...shown(made, context), ...(warnings.length > 0 ? { warnings } : {}) });
  };
}
