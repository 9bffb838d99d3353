// `test-idp oidc`: only the OIDC front end with REST API and web UI.
import { runFrontendAlone } from './frontend-alone.ts';

export function run(args: readonly string[]): Promise<number> {
  return runFrontendAlone('oidc', args, async () => (await import('#services/oidc/main.ts')).bootOidc);
}
