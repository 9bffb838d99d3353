// The interface of the runtime store: small ports, each named by what its callers need. Every operation is atomic
// across all processes that share the store, and no transaction leaves the store. `now` is the time of
// the namespace's clock, which the caller reads once per request. Operations on real time read it themselves, or take
// `real`. Any operation may throw RuntimeStoreUnavailableError after its deadline of 5 s (STO-15).
export type * from './audit.ts';
export type * from './authorization-codes.ts';
export type * from './authorization-transactions.ts';
export type * from './clock.ts';
export type * from './cluster.ts';
export type * from './condition.ts';
export type * from './configuration-generations.ts';
export type * from './consents.ts';
export type * from './coordination.ts';
export type * from './device-grants.ts';
export type * from './exams.ts';
export type * from './exchanges.ts';
export type * from './faults.ts';
export type * from './logout-confirmations.ts';
export type * from './logout-deliveries.ts';
export type * from './metadata-documents.ts';
export type * from './pushed-requests.ts';
export type * from './recorder-switch.ts';
export type * from './runtime-identities.ts';
export type * from './runtime-store.ts';
export type * from './saml-logouts.ts';
export type * from './sandboxes.ts';
export type * from './second-factors.ts';
export type * from './sessions.ts';
export type * from './signing-keys.ts';
export type * from './token-state.ts';
export type * from './typed-claims.ts';
