// A client entry that the settings contradict, so that the server cannot do what the entry says (CLS-04, CLS-08). A
// file with one does not load, and a runtime client is rejected.
import { hasOptionalSecret } from '#shared/model/configuration/client-authentication.ts';
import { type ClientEntry, clientFromEntry } from '#shared/model/configuration/client-entry.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { problemOfDefaultScopes } from './scope.ts';

/** The contradictions, each with the field and the end of a sentence that begins with it. */
export function* impossibleIn(
  entry: ClientEntry,
  snapshot: Pick<ConfigurationSnapshot, 'rules' | 'settings'>,
): Generator<{ readonly field: string; readonly message: string }> {
  if (hasOptionalSecret(entry) && !snapshot.rules.allowOptionalClientSecret) {
    const message =
      'client_secret_optional needs security_profile: dev. client_secret_any takes a secret in either place';
    yield { field: 'token_endpoint_auth_method', message };
  }
  const message = problemOfDefaultScopes(clientFromEntry(entry), snapshot);
  if (message !== undefined) yield { field: 'default_scopes', message };
}
