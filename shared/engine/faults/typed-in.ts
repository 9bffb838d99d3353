// The user whom a typed name means, for the conditions of faults: the one whom the login itself takes it for.
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { typedUsername } from '#shared/engine/login/typed-username.ts';

export async function typedIn(typed: string | undefined, context: ProtocolContext): Promise<string | undefined> {
  return typed === undefined ? undefined : typedUsername(typed, context);
}
