// The configured runtime store cannot be used. A start ends with this one message. A reload returns 422 `activation`
// (STO-02, STO-05, STO-07, STO-08). Nothing was changed or created.

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

/** This Node.js has no SQLite (PKG-11). */
export class NoSqliteError extends StoreRefusedError {
  override readonly startRefusal = 'binding_missing';
}
