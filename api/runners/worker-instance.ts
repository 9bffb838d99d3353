// What the fixtures of every runner do: one instance for a worker of the runner, started at first use or named by IDP_URL,
// and in it a sandbox for each test file (API-38, API-39). The runners differ in how they say "worker" and "file" alone.
import { connectTo } from '../connect-idp.ts';
import { IdpError } from '../errors.ts';
import type { Instance } from '../instance.ts';
import { startInstance } from '../start-idp.ts';
import type { ConnectOptions, SettingsEntry, StartOptions } from '../types.ts';

export interface WorkerInstance {
  /** A sandbox of its own, with these settings; its `idp.stop` ends it. */
  open(settings?: SettingsEntry): Promise<Instance>;
  /** Ends what was started; one that runs for others goes on. */
  stop(): Promise<void>;
}

/** `environment` names a running instance with IDP_URL, and its secret with IDP_MANAGEMENT_SECRET. */
export function workerInstance(
  options: StartOptions,
  environment: Readonly<Record<string, string | undefined>>,
): WorkerInstance {
  const { IDP_URL: url, IDP_MANAGEMENT_SECRET: secret } = environment;
  let started: Promise<Instance> | undefined;
  return {
    async open(settings) {
      if (url !== undefined && url !== '') {
        refuseOptions(options, url);
        return await connectTo(url, secretOf(secret), { settings });
      }
      started ??= startInstance(options);
      const { idp, managementSecret } = await started;
      const { keys, users, clients } = idp;
      const own = { ...apartFromFiles(options), ...settings };
      return await connectTo(idp.url, secretOf(managementSecret), { keys, users, clients, settings: own });
    },
    async stop() {
      const instance = await started?.catch(() => undefined);
      await instance?.idp.stop();
    },
  };
}

/** What a sandbox does not take from the configuration in force, but has to be told (SBX-24, SBX-33). */
function apartFromFiles({ settings: { faults, saml: { entity_id, sso_url } = {} } = {} }: StartOptions): SettingsEntry {
  const saml = { ...(entity_id === undefined ? {} : { entity_id }), ...(sso_url === undefined ? {} : { sso_url }) };
  return { ...(faults === undefined ? {} : { faults }), ...(Object.keys(saml).length === 0 ? {} : { saml }) };
}

function secretOf(secret: string | undefined): ConnectOptions {
  return secret === undefined || secret === '' ? {} : { managementSecret: secret };
}

/** Nothing that a test asked for is left out in silence. */
function refuseOptions(options: StartOptions, url: string): void {
  const [first] = Object.keys(options);
  if (first === undefined) return;
  throw new IdpError(
    'invalid_option',
    `idpOptions.${first} is for an instance that the tests start, but IDP_URL names a running one (${url}). Remove one of them.`,
  );
}
