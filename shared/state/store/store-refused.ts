// The runtime store that the configuration names cannot be used. Whoever starts ends with this one message; a reload
// answers 422 `activation` (STO-02, STO-05, STO-07, STO-08). Nothing was changed and nothing was made.

import type { RefusesStart } from '#shared/base/start-refusal.ts';
import { ActivationError } from '#shared/state/configuration/active-configuration.ts';

export class StoreRefusedError extends ActivationError implements RefusesStart {
  readonly startRefusal: 'store_refused' | 'binding_missing' = 'store_refused';
  override readonly isMendable: boolean = false;
}

/** A file that the location of the store names cannot be used. */
export class StoreFileUnusableError extends StoreRefusedError {
  override readonly isMendable = true;
}

/** There is no SQLite for this Node.js (PKG-11). */
export class NoSqliteError extends StoreRefusedError {
  override readonly startRefusal = 'binding_missing';
}
