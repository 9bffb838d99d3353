// Whom a name that was typed or chosen means: whoever is called exactly so, else the name without the blanks around it (LOG-02,
// AUT-49, D53). One of its own is never taken from a user: the persona picker offers it as it is.

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';

/** Asks nobody while there are no blanks to doubt. */
export async function typedUsername(
  typed: string,
  { snapshot, store }: Pick<ProtocolContext, 'snapshot' | 'store'>,
): Promise<string> {
  const trimmed = typed.trim();
  if (trimmed === typed) return typed;
  return (await findEffectiveUser(snapshot, store, typed)) === undefined ? trimmed : typed;
}
