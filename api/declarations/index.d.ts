import type { ConnectIdp, StartIdp } from '../types.ts';

export { type Finding, IdpError, IdpLoginError, IdpRequestError, IdpStartError } from '../errors.ts';
export type * from '../types.ts';
/** Starts an identity provider in this process, or with `stack: true` as the real processes. */
export declare const startIdp: StartIdp;
/** The same members for an instance that already runs: by default in a sandbox of its own. */
export declare const connectIdp: ConnectIdp;
