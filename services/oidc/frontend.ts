// The OIDC front end over open services: for a worker process, or for a program that runs an instance in its own
// process.

import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import { errorPageRenderer } from '#shared/web/pages/error-page.tsx';
import { createFrontend, type Frontend, type FrontendOptions } from '#shared/web/pipeline/frontend.ts';
import { oidcApp, oidcRoutes } from './app.ts';
import { oidcFacts } from './fault-facts.ts';

/** Holds no state of a request or an instance, so the whole process shares it. */
const app = oidcApp();

/** `relay` takes the requests that the SAML front end serves. undefined: no relay. */
export function oidcFrontend(services: ProcessServices, relay: FrontendOptions['relay']): Frontend {
  const renderErrorPage = errorPageRenderer({ href: '/', text: 'To the dashboard' });
  return createFrontend({
    ...{ app, routes: oidcRoutes, services, renderErrorPage },
    ...{ relayed: false, readFacts: oidcFacts, relay },
  });
}
