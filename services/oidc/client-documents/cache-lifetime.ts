// How long a fetched metadata document may be cached, by its Cache-Control header (CMD-13, CMD-14; RFC 9111 §5.2).
// Pure.
const lifetimeSecondsDefault = 3600;
const lifetimeSecondsMin = 60;
const lifetimeSecondsMax = 86_400;

/** undefined: the response must not be cached, so no client could be held for a code. */
export function cacheLifetimeSeconds(cacheControl: string | undefined): number | undefined {
  const directives = new Map<string, string>();
  for (const part of (cacheControl ?? '').split(',')) {
    const [name = '', value = ''] = part.split('=', 2);
    const key = name.trim().toLowerCase();
    if (!directives.has(key)) directives.set(key, value.trim().replace(/^"(.*)"$/, '$1'));
  }
  if (directives.has('no-store') || directives.has('no-cache')) return undefined;
  const maxAge = directives.get('max-age');
  if (maxAge === undefined || !/^[0-9]+$/.test(maxAge)) return lifetimeSecondsDefault;
  return Math.min(Math.max(Number(maxAge), lifetimeSecondsMin), lifetimeSecondsMax);
}
