// Which database a configuration names, as everybody may see it: without password and parameters (PGS-05).

import type { Settings } from '#shared/model/configuration/settings.ts';
import { storeKindOf } from '#shared/model/configuration/store-kinds.ts';
import { shownPostgresUrl } from '#shared/model/runtime-store/postgres-url.ts';

/** Empty where the store is no database. */
export function shownDatabase(runtime: Settings['runtime']): { readonly url?: string; readonly schema?: string } {
  const { url, schema } = runtime;
  return storeKindOf(runtime).place === 'url' && url !== undefined ? { url: shownPostgresUrl(url), schema } : {};
}
