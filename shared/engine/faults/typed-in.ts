// The user that a typed name refers to, for the conditions of faults. The login resolves the name in the same way.
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { typedUsername } from '#shared/engine/login/typed-username.ts';

export async function typedIn(typed: string | undefined, context: ProtocolContext): Promise<string | undefined> {
  return typed === undefined ? undefined : typedUsername(typed, context);
}
