// The common part of the fixtures of all runners: one instance for each worker, and in it a sandbox for each test file
// (API-38, API-39). The instance starts at first use, or IDP_URL names it. Runners differ only in their terms for
// "worker" and "file".
import { connectTo } from '../connect-idp.ts';
import { IdpError } from '../errors.ts';
import type { Instance } from '../instance.ts';
import { startInstance } from '../start-idp.ts';
import type { ConnectOptions, SettingsEntry, StartOptions } from '../types.ts';

export interface WorkerInstance {
  /** Opens a new sandbox with these settings. Its `idp.stop` deletes it. */
  open(settings?: SettingsEntry): Promise<Instance>;
  /** Stops the instance that was started here. An instance named by IDP_URL continues. */
  stop(): Promise<void>;
}

/** `environment` can name a running instance with IDP_URL, and its secret with IDP_MANAGEMENT_SECRET. */
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

/** Settings that a sandbox does not inherit from the active configuration (SBX-24, SBX-33). */
function apartFromFiles({ settings: { faults, saml: { entity_id, sso_url } = {} } = {} }: StartOptions): SettingsEntry {
  const saml = { ...(entity_id === undefined ? {} : { entity_id }), ...(sso_url === undefined ? {} : { sso_url }) };
  return { ...(faults === undefined ? {} : { faults }), ...(Object.keys(saml).length === 0 ? {} : { saml }) };
}

function secretOf(secret: string | undefined): ConnectOptions {
  return secret === undefined || secret === '' ? {} : { managementSecret: secret };
}

/** Rejects options that would have no effect. */
function refuseOptions(options: StartOptions, url: string): void {
  const [first] = Object.keys(options);
  if (first === undefined) return;
  throw new IdpError(
    'invalid_option',
    `idpOptions.${first} is for an instance that the tests start, but IDP_URL names a running one (${url}). Remove one of them.`,
  );
}
