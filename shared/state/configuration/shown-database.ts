// The database of a configuration in a form that anyone may see: without password and parameters (PGS-05).

import type { Settings } from '#shared/model/configuration/settings.ts';
import { storeKindOf } from '#shared/model/configuration/store-kinds.ts';
import { shownPostgresUrl } from '#shared/model/runtime-store/postgres-url.ts';

/** Empty where the store is not a database. */
export function shownDatabase(runtime: Settings['runtime']): { readonly url?: string; readonly schema?: string } {
  const { url, schema } = runtime;
  return storeKindOf(runtime).place === 'url' && url !== undefined ? { url: shownPostgresUrl(url), schema } : {};
}
