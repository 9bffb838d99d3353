// Section IMG: the container image and the examples around it.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'IMG-01', says: 'The image has Node.js and the installed package, and nothing that made it.' },
  { id: 'IMG-02', says: 'Its bases are arguments, pinned by digest by default.' },
  { id: 'IMG-03', says: 'It runs as a numeric user and ends within the grace of an engine.' },
  { id: 'IMG-04', says: 'It serves OIDC and MCP to the outside by defaults of its own.' },
  { id: 'IMG-05', says: 'It answers on a read-only root without volume or capability, as any user.' },
  { id: 'IMG-06', says: '/config is the configuration and /keys keeps the keys.' },
  { id: 'IMG-07', says: 'Its health check is its own command.' },
  { id: 'IMG-08', says: 'Labels name source, version, revision, licence and documentation.' },
  { id: 'IMG-09', says: 'A workflow builds it for two architectures with provenance.' },
  { id: 'IMG-10', says: 'It is hardly larger than its base and the package.' },
  { id: 'IMG-11', says: 'A compose file starts it with an application that logs in.' },
  { id: 'IMG-12', says: 'Kubernetes manifests pass the schema and restricted pod security.' },
  { id: 'IMG-13', says: 'CI examples wait by health.' },
  { id: 'IMG-14', says: 'Testcontainers classes give issuer, discovery and token.' },
  { id: 'IMG-15', says: 'Guides say what to do when browser and container name it differently.' },
  { id: 'IMG-16', says: 'The checks build the Dockerfile whole without an engine.' },
  {
    id: 'IMG-17',
    says: 'They run its root file system in namespaces, read-only and without capabilities.',
  },
  { id: 'IMG-18', says: 'Example files are checked against schemas and the product itself.' },
  { id: 'IMG-19', says: 'What none of this proves stands in the documentation.' },
];
