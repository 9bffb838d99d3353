// The type declarations of `test-idp`. A test checks that they match api/index.ts. They are separate so that the types
// in the package consist of these few files only (PKG-08).
import type { ConnectIdp, StartIdp } from '../types.ts';

export { type Finding, IdpError, IdpLoginError, IdpRequestError, IdpStartError } from '../errors.ts';
export type * from '../types.ts';

/** Starts an identity provider in this process, or as separate processes with `stack: true`. */
export declare const startIdp: StartIdp;

/** Connects to an instance that already runs, by default in a new sandbox. Returns the same members. */
export declare const connectIdp: ConnectIdp;
