// PROCESS 3, the SAML identity provider. Under a supervisor it listens on the private socket behind the door, alone on an
// address of its own. Boot order and nothing else.
import { createServer } from 'node:http';
import { idleMillisecondsMax } from '#shared/worker/listen-here.ts';
import { openProcessServices } from '#shared/worker/open-process-services.ts';
import { type BootWorker, runUnderSupervisor } from '#shared/worker/run-worker.ts';
import { samlFrontend } from './frontend.ts';

export const bootSaml: BootWorker = async (worker) => {
  const { services, address, close } = await openProcessServices(worker);
  const frontend = samlFrontend(services, { relayed: worker.start.stack !== undefined });
  await worker.listen(
    createServer({ keepAliveTimeout: idleMillisecondsMax }, frontend.listener),
    address,
    services.log,
  );
  return { drain: () => frontend.beginDrain(), close };
};

await runUnderSupervisor('saml', bootSaml);
