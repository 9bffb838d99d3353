// The requests of the demonstration to the provider, as any other program could send them. It reads the provider's
// issuer. With the REST API it registers the two applications, removes them at the end, and finds the flow of a login.
import type { Registered } from './relying-party.ts';
import type { Provider } from './service-provider.ts';

/**
 * The provider did not do what the demonstration requested. The message says what the person who started the stack can
 * do.
 */
export class ProviderError extends Error {}

export interface ProviderApi {
  /** The provider's issuer: usually its address (`oauth.issuer_from_request`), or the value of `oauth.issuer`. */
  issuer(): Promise<string>;
  /** Registers the application unless it is registered already. @throws ProviderError */
  ensureClient(client: Registered): Promise<void>;
  ensureServiceProvider(provider: Provider): Promise<void>;
  /** The flow that contains the text, such as the `state` of a request. undefined if none was recorded. */
  findFlow(of: { readonly client_id: string } | { readonly sp: string }, text: string): Promise<string | undefined>;
  /** Best effort, at most a second each, because stopping the stack waits for it. */
  deleteClient(client: Registered, provider: Provider): Promise<void>;
}

/** The newest come first, so a few are enough. */
const flowsLookedAt = 10;

export function providerApi(baseUrl: string, managementSecret: string | undefined): ProviderApi {
  // The registration of an earlier process of this stack has another secret.
  const registered = new Set<string>();

  async function ask(path: string, method: 'GET' | 'POST' | 'DELETE' = 'GET', body?: object, milliseconds = 10_000) {
    const secret = managementSecret === undefined ? {} : { 'X-Management-Secret': managementSecret };
    const answer = fetch(baseUrl + path, {
      method,
      headers: { ...secret, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(milliseconds),
    });
    return await answer.catch((error: Error) => {
      const reason = error.cause instanceof Error ? error.cause.message : error.message;
      throw new ProviderError(`No response from ${baseUrl}: ${reason}`, { cause: error });
    });
  }

  async function ensure(kind: 'clients' | 'service-providers', name: string, body: object): Promise<void> {
    const path = `/api/runtime/${kind}`;
    const present = await ask(`${path}/${encodeURIComponent(name)}`);
    if (present.ok && registered.has(name)) return;
    const answer = await ask(`${path}?replace=true`, 'POST', body);
    if (!answer.ok) throw new ProviderError(refusal(name, answer.status, await answer.text()));
    registered.add(name);
  }

  return {
    async issuer() {
      const metadata = await ask('/.well-known/openid-configuration');
      const issuer = fieldOf(await metadata.json(), 'issuer');
      if (typeof issuer !== 'string') throw new ProviderError(`${baseUrl} does not publish an issuer`);
      return issuer;
    },
    ensureClient: ({ client_id, client_secret, redirect_uri }) =>
      ensure('clients', client_id, {
        ...{ client_id, client_secret, redirect_uris: [redirect_uri] },
        token_endpoint_auth_method: 'client_secret_basic',
        description: 'Demo relying party',
      }),
    ensureServiceProvider: ({ entityId, acs }) =>
      ensure('service-providers', entityId, {
        ...{ entity_id: entityId, acs, sign: 'assertion' },
        title: 'Demo service provider',
      }),
    async findFlow(of, text) {
      const list = await ask(`/api/flows?${new URLSearchParams({ ...of, limit: String(flowsLookedAt) })}`);
      for (const id of list.ok ? flowIds(await list.json()) : []) {
        const flow = await ask(`/api/flows/${id}`);
        if (flow.ok && (await flow.text()).includes(text)) return id;
      }
      return undefined;
    },
    async deleteClient({ client_id }, { entityId }) {
      const paths = [
        ...(registered.has(client_id) ? [`/api/runtime/clients/${encodeURIComponent(client_id)}`] : []),
        ...(registered.has(entityId) ? [`/api/runtime/service-providers/${encodeURIComponent(entityId)}`] : []),
      ];
      await Promise.allSettled(paths.map((path) => ask(path, 'DELETE', undefined, 1_000)));
    },
  };
}

function refusal(name: string, status: number, body: string): string {
  if (status === 401 || status === 403) {
    return 'The demonstration needs the management secret of this provider to register itself. Start it with IDP_MANAGEMENT_SECRET.';
  }
  return `The provider did not register ${name} (${status}): ${body.slice(0, 500)}`;
}

function flowIds(body: unknown): readonly string[] {
  const flows = fieldOf(body, 'flows');
  if (!Array.isArray(flows)) return [];
  return flows.flatMap((flow: unknown) => {
    const id = fieldOf(flow, 'id');
    return typeof id === 'string' ? [id] : [];
  });
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}
