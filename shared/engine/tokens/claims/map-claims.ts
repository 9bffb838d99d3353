// Applies `claim_mappings` to a token's claims or a UserInfo response (PCL-21 to PCL-26). The rows are prepared once
// for each configuration. Without rows a token costs nothing.

import { isMapping } from '#shared/base/untrusted-values.ts';
import {
  type ClaimMapping,
  type ClaimPlace,
  claimPath,
  claimPlaces,
} from '#shared/model/configuration/claim-mapping.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { textOfValue, valuesFrom } from './claim-sources.ts';
import { type ClaimSubject, type ClaimsInEffect, isEmptyClaim } from './claims-in-effect.ts';

interface MappingOccasion {
  readonly place: ClaimPlace;
  readonly subject: ClaimSubject;
  readonly claims: ClaimsInEffect;
  readonly clientId: string | undefined;
  readonly scope: readonly string[];
}

interface Ready {
  readonly path: readonly string[];
  readonly mapping: ClaimMapping;
  readonly clients: ReadonlySet<string> | undefined;
}

type ReadyRows = Readonly<Record<ClaimPlace, readonly Ready[]>>;

const readyOnce = new WeakMap<Settings['claim_mappings'], ReadyRows>();

/** Changes `claims`, which belongs to the caller. Nested values are copied before they change. */
export function mapClaims(
  claims: Record<string, unknown>,
  occasion: MappingOccasion,
  { claim_mappings: mappings, authority_prefixes: prefixes }: Pick<Settings, 'claim_mappings' | 'authority_prefixes'>,
): void {
  if (mappings.length === 0) return;
  for (const { path, mapping, clients } of readyRows(mappings)[occasion.place]) {
    if (clients !== undefined && !clients.has(occasion.clientId ?? '')) continue;
    if (mapping.scope !== undefined && !occasion.scope.includes(mapping.scope)) continue;
    const value =
      mapping.from === undefined
        ? undefined
        : shaped(valuesFrom(mapping.from, occasion.subject, prefixes, occasion.claims), mapping);
    if (value === undefined) remove(claims, path);
    else put(claims, path, value);
  }
}

function readyRows(mappings: Settings['claim_mappings']): ReadyRows {
  let ready = readyOnce.get(mappings);
  if (ready === undefined) {
    const rows = mappings.map((mapping) => ({
      path: claimPath(mapping),
      mapping,
      clients: mapping.clients && new Set(mapping.clients),
    }));
    const [access_token, id_token, userinfo] = claimPlaces.map((place) =>
      rows.filter((row) => row.mapping.in.includes(place)),
    );
    ready = { access_token: access_token ?? [], id_token: id_token ?? [], userinfo: userinfo ?? [] };
    readyOnce.set(mappings, ready);
  }
  return ready;
}

/** undefined: an empty source gives no claim (PCL-23). */
function shaped(values: readonly unknown[], { as, separator = ' ', value = true }: ClaimMapping): unknown {
  if (values.length === 0) return undefined;
  switch (as) {
    case 'list':
      return values;
    case 'text':
      return values.map(textOfValue).join(separator);
    case 'first':
      return values[0];
    case 'map':
      return Object.fromEntries(values.map((one) => [textOfValue(one), value]));
    case 'omit':
      return undefined;
  }
}

type Members = Record<string, unknown>;

function put(claims: Members, [name = '', ...below]: readonly string[], value: unknown): void {
  if (below.length === 0) {
    setMember(claims, name, value);
    return;
  }
  const inside = copyOf(claims, name) ?? {};
  put(inside, below, value);
  setMember(claims, name, inside);
}

function remove(claims: Members, [name = '', ...below]: readonly string[]): void {
  const inside = below.length === 0 ? undefined : copyOf(claims, name);
  if (below.length > 0 && inside === undefined) return;
  if (inside !== undefined) remove(inside, below);
  if (isEmptyClaim(inside)) delete claims[name];
  else setMember(claims, name, inside);
}

/** A name such as `__proto__` is data. */
function setMember(object: Members, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

function copyOf(object: Members, name: string): Members | undefined {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return isMapping(value) ? { ...value } : undefined;
}
