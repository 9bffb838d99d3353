// The SAML frontend over services that are open: whoever serves it, a process of its own or a program within itself.
import { createFrontend, type Frontend } from '#shared/http/pipeline/frontend.ts';
import { errorPageRenderer } from '#shared/pages/error-page.tsx';
import type { ProcessServices } from '#shared/worker/process-services.ts';
import { samlFrontendRoutes } from './app.ts';
import { samlFacts } from './fault-facts.ts';

/** `relayed`: its requests come through the private socket of the door. */
export function samlFrontend(services: ProcessServices, { relayed }: { readonly relayed: boolean }): Frontend {
  return createFrontend({
    routes: samlFrontendRoutes,
    services,
    renderErrorPage: errorPageRenderer(),
    relayed,
    readFacts: samlFacts,
  });
}
