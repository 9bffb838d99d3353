// The user of a typed or chosen name: an exact match first, else the name without surrounding blanks (LOG-02, AUT-49,
// D53). An exact match always wins, because the persona picker offers such a name unchanged.

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';

/** Queries nothing if the name has no surrounding blanks. */
export async function typedUsername(
  typed: string,
  { snapshot, store }: Pick<ProtocolContext, 'snapshot' | 'store'>,
): Promise<string> {
  const trimmed = typed.trim();
  if (trimmed === typed) return typed;
  return (await findEffectiveUser(snapshot, store, typed)) === undefined ? trimmed : typed;
}
