// The interface of a client authentication method: one file each in this folder, listed in methods.ts.

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { keyAuthMethod, TokenEndpointAuthMethod } from '#shared/model/configuration/client-authentication.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { PresentedCredentials } from './presented-credentials.ts';

/**
 * right: proven. not_encoded: the right secret, without the form-encoding of RFC 6749 §2.3.1. problem: wrong, for a
 * reason that is not disclosed to the caller. unusable: no key of the client can prove anything.
 */
type Proof = 'right' | 'wrong' | 'not_encoded' | { readonly problem: string } | { readonly unusable: string };

/** The endpoints where clients authenticate. */
export type ClientSurface = 'token' | 'introspect' | 'revoke' | 'device_authorization' | 'par';

/** The methods that a client can be registered with, as in the model of the client, except `none`. */
export type MethodName = Exclude<TokenEndpointAuthMethod, 'none'> | typeof keyAuthMethod;

export interface ClientAuthenticationMethod {
  /** The name in the registry of RFC 7591 §2. */
  readonly name: MethodName;
  isUsed(presented: PresentedCredentials): boolean;
  /** Called only for a client that is registered with this method, in a request that uses it and no other. */
  prove(
    presented: PresentedCredentials,
    client: Client,
    context: ProtocolContext,
    surface: ClientSurface,
  ): Proof | Promise<Proof>;
}
