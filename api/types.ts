// The public types of the package. They import nothing that would require additional types of a consumer, because the
// package ships them as they are (PKG-08).
export type { ClientEntry, SettingsEntry, UserEntry } from './configuration-types.ts';
export type { Expectation, ExpectationHeld, Flow, Verdict } from './operations.ts';
export type * from './types/acting.ts';
export type * from './types/idp.ts';
export type * from './types/idp-api.ts';
export type * from './types/platform.ts';
export type * from './types/start.ts';
export type * from './types/steering.ts';
