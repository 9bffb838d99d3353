// What `test-idp` exports, for the compiler of its user: api/index.ts says the same, and a test holds them together. Apart
// from it, so that the types in the package are made of these few files and nothing behind them (PKG-08).
import type { ConnectIdp, StartIdp } from '../types.ts';

export { type Finding, IdpError, IdpLoginError, IdpRequestError, IdpStartError } from '../errors.ts';
export type * from '../types.ts';

/** Starts an identity provider in this process, or with `stack: true` as the real processes. */
export declare const startIdp: StartIdp;

/** The same members for an instance that already runs: by default in a sandbox of its own. */
export declare const connectIdp: ConnectIdp;
