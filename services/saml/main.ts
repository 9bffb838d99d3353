// PROCESS 3, the SAML identity provider. Under a supervisor it listens on the private socket behind the door, alone on an
// address of its own. Boot order and nothing else.
import { createDoorServer } from '#shared/tls/door-server.ts';
import { openProcessServices } from '#shared/worker/open-process-services.ts';
import { type BootWorker, runUnderSupervisor } from '#shared/worker/run-worker.ts';
import { samlFrontend } from './frontend.ts';

export const bootSaml: BootWorker = async (worker) => {
  const relayed = worker.start.stack !== undefined;
  const { services, address, caFile, close } = await openProcessServices(worker, { door: !relayed });
  const frontend = samlFrontend(services, { relayed });
  await worker.listen(createDoorServer(frontend.listener, services.tls), address, services.log);
  return { drain: () => frontend.beginDrain(), close, caFile };
};

void runUnderSupervisor('saml', bootSaml);
