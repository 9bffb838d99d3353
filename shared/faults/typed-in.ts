// The user whom a typed name means, for the conditions of faults: the one whom the login itself takes it for.
import type { RequestContext } from '#shared/http/request.ts';
import { typedUsername } from '#shared/login/typed-username.ts';

export async function typedIn(typed: string | undefined, context: RequestContext): Promise<string | undefined> {
  return typed === undefined ? undefined : typedUsername(typed, context);
}
