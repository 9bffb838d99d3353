// `test-idp oidc`: the OIDC frontend with REST API and web UI alone.
import { runFrontendAlone } from './frontend-alone.ts';

export function run(args: readonly string[]): Promise<number> {
  return runFrontendAlone('oidc', args, async () => (await import('#services/oidc/main.ts')).bootOidc);
}
