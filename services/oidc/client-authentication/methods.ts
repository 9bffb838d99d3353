// The client authentication methods: exactly one for each name in the model of a client, enforced by the compiler. To
// add one, add a file and a line here. Its parameters are rows of shared/protocol/oauth2/parameters.ts.
import { clientSecretBasic } from './client-secret-basic.ts';
import { clientSecretPost } from './client-secret-post.ts';
import type { ClientAuthenticationMethod, MethodName } from './method.ts';
import type { PresentedCredentials } from './presented-credentials.ts';
import { privateKeyJwt } from './private-key-jwt.ts';

const served: { readonly [Name in MethodName]: ClientAuthenticationMethod & { readonly name: Name } } = {
  client_secret_basic: clientSecretBasic,
  client_secret_post: clientSecretPost,
  private_key_jwt: privateKeyJwt,
};

const methods: readonly ClientAuthenticationMethod[] = Object.values(served);

const byName: ReadonlyMap<string, ClientAuthenticationMethod> = new Map(Object.entries(served));

export function methodNamed(name: string): ClientAuthenticationMethod | undefined {
  return byName.get(name);
}

/** By their names, several when several were used at once. `none` for a request without credentials. */
export function methodUsed(presented: PresentedCredentials): string {
  const used = methods.filter((method) => method.isUsed(presented));
  return used.map(({ name }) => name).join(' and ') || 'none';
}
