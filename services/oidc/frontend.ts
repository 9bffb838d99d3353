// The OIDC frontend over services that are open: whoever serves it, a process of its own or a program within itself.
import { createFrontend, type Frontend, type FrontendOptions } from '#shared/http/pipeline/frontend.ts';
import { errorPageRenderer } from '#shared/pages/error-page.tsx';
import type { ProcessServices } from '#shared/worker/process-services.ts';
import { oidcRoutes } from './app.ts';
import { oidcFacts } from './fault-facts.ts';

/** `relay` takes what the SAML frontend answers; undefined: nobody does. */
export function oidcFrontend(services: ProcessServices, relay: FrontendOptions['relay']): Frontend {
  const renderErrorPage = errorPageRenderer({ href: '/', text: 'To the dashboard' });
  return createFrontend({ routes: oidcRoutes, services, renderErrorPage, relayed: false, readFacts: oidcFacts, relay });
}
