// A frontend with routes of a test behind its own stages, on a port of this machine.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { oidcApp } from '#services/oidc/app.ts';
import { systemRandomness } from '#shared/base/random.ts';
import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import { html } from '#shared/engine/exchange/reply.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { startValuesOf } from '#shared/engine/exchange/start-values.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { clockAt, realTime } from '#shared/model/domain/movable-clock.ts';
import type { ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import type { KeyRing } from '#shared/state/keys/key-ring.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';
import { createFrontend, type Frontend } from '#shared/web/pipeline/frontend.ts';
import { snapshotOf } from './configuration-snapshot.ts';
import { silentLogger } from './silent-logger.ts';

interface Served {
  readonly frontend: Frontend;
  readonly server: Server;
  readonly port: number;
}

interface Surroundings {
  /** What differs from services that answer nothing but these routes needs. */
  readonly services?: Partial<ProcessServices>;
  readonly snapshot?: ConfigurationSnapshot;
  /** The configuration that requests get; without it the snapshot. */
  readonly current?: () => Promise<ConfigurationSnapshot>;
}

export async function serveRoutes(
  routes: readonly Route[],
  { services = {}, snapshot = snapshotOf({}), current = async () => snapshot }: Surroundings = {},
): Promise<Served> {
  const configuration: Partial<ActiveConfiguration> = { inForce: () => snapshot, refreshed: current };
  const all: Partial<ProcessServices> = {
    atStart: startValuesOf(snapshot),
    configuration: configuration as ActiveConfiguration,
    random: systemRandomness,
    clockOfRequest: () => clockAt(realTime),
    store: { clock: { refresh: () => realTime } } as RuntimeStore,
    keys: {} as KeyRing,
    log: silentLogger(),
    ...services,
  };
  const frontend = createFrontend({
    ...{ app: oidcApp([routes]), routes },
    services: all as ProcessServices,
    renderErrorPage: (status, title) => html(status, title),
    relayed: false,
  });
  const server = createServer(frontend.listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { frontend, server, port: (server.address() as AddressInfo).port };
}
