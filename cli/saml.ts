// `test-idp saml`: only the SAML front end.
import { runFrontendAlone } from './frontend-alone.ts';

export function run(args: readonly string[]): Promise<number> {
  return runFrontendAlone('saml', args, async () => (await import('#services/saml/main.ts')).bootSaml);
}
