// The exports of `test-idp`.

export { connectIdp } from './connect-idp.ts';
export type { Finding } from './errors.ts';
export { IdpError, IdpLoginError, IdpRequestError, IdpStartError } from './errors.ts';
export { startIdp } from './start-idp.ts';
export type * from './types.ts';
