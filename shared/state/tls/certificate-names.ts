// The names that the certificate of this server must contain (TLS-03).
import { hostname } from 'node:os';
import { certificateName } from '#shared/base/certificates/host-names.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';

const always = ['localhost', '127.0.0.1', '::1'];
const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** `boundHost`: the address that the server is bound to. In lower case, without duplicates. */
export function wantedNames({ server, oauth }: Pick<Settings, 'server' | 'oauth'>, boundHost: string): string[] {
  const issuerHost = URL.canParse(oauth.issuer) ? new URL(oauth.issuer).hostname : '';
  const names = [...always, hostname(), boundHost, issuerHost, ...server.tls_names].map(certificateName);
  return [...new Set(names.filter((name) => name !== undefined && !wildcards.has(name)))].flatMap((name) => name ?? []);
}
