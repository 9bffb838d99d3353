// GET /ca.pem: the certificate of the authority that issued the front end's certificate, for clients that need to trust
// it (TLS-10). Served by the OIDC worker, and by a SAML worker that runs alone.
import type { Endpoint } from './request.ts';
import type { Route } from './route.ts';

const authority: Endpoint = async (_request, { tls }) => ({
  status: 200,
  headers: { 'Content-Type': 'application/x-pem-file', 'X-Content-Type-Options': 'nosniff' },
  body: tls?.authorityPem ?? '',
});

export const authorityRoutes: readonly Route[] = [
  {
    path: '/ca.pem',
    audience: 'asset',
    overrides: { surface: 'protocol' },
    methods: { GET: authority },
    existsWhile: ({ settings: { server }, paths }) =>
      server.tls !== undefined && (paths.tlsFiles === undefined || paths.tlsFiles.ca !== undefined),
  },
];
