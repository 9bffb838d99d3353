// Which database a configuration names, as everybody may see it: without password and parameters (PGS-05).
import { shownPostgresUrl } from '#shared/store/postgres-url.ts';
import type { Settings } from './model/settings.ts';
import { storeKindOf } from './model/store-kinds.ts';

/** Empty where the store is no database. */
export function shownDatabase(runtime: Settings['runtime']): { readonly url?: string; readonly schema?: string } {
  const { url, schema } = runtime;
  return storeKindOf(runtime).place === 'url' && url !== undefined ? { url: shownPostgresUrl(url), schema } : {};
}
