// Section TLS: the front end uses TLS, with its own authority or with the operator's files.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'TLS-01', says: 'server.tls is absent, auto or files, --tls means auto, and it is fixed at the start.' },
  {
    id: 'TLS-02',
    says: 'auto creates one authority and one leaf in the keys directory, even if several processes start at once.',
  },
  { id: 'TLS-03', says: "The leaf names loopback, the machine, the bound host, the issuer's host and tls_names." },
  { id: 'TLS-04', says: 'A leaf that is no longer suitable is replaced, at the start and while the server runs.' },
  { id: 'TLS-05', says: 'openssl, curl, Node.js and Java verify leaf and name with the authority alone.' },
  {
    id: 'TLS-06',
    says: 'Unusable files end the start. A reload activates changed ones or keeps the previous ones.',
  },
  { id: 'TLS-07', says: 'TLS 1.2 and 1.3, http/1.1, no client certificate, no Strict-Transport-Security.' },
  { id: 'TLS-08', says: 'With TLS issuer, cookies and every address in the metadata are https.' },
  {
    id: 'TLS-09',
    says: 'Plain HTTP at the port gets health and /ca.pem, is redirected or rejected, and has no effect.',
  },
  { id: 'TLS-10', says: '/ca.pem returns only the certificate of the authority, or 404 if there is none.' },
  { id: 'TLS-11', says: 'test-idp ca prints that certificate or its path, and creates it if it is missing.' },
  { id: 'TLS-12', says: 'The ready line has the https address, and --ready-json the file of the authority.' },
  {
    id: 'TLS-13',
    says: 'Every OIDC worker uses TLS at the shared port, SAML sees scheme and peer, and each works alone.',
  },
  {
    id: 'TLS-14',
    says: 'Clients that send nothing, incomplete data or garbage delay no others and are closed within 10 s.',
  },
  { id: 'TLS-15', says: 'The MCP server is unchanged, and its tools name https addresses.' },
  { id: 'TLS-16', says: 'No private key is shown anywhere, and GET /api/config shows mode, names and expiry.' },
  { id: 'TLS-17', says: 'The guide trusts the authority in five tools, as written.' },
  {
    id: 'TLS-18',
    says: 'With --tls a warm start takes at most 1.3 times as long in npm run bench, and client_credentials on kept connections reach at least 0.85 of the plain rate.',
  },
];
