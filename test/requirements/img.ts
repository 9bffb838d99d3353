// Section IMG: the container image and the examples around it.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'IMG-01', says: 'The image contains Node.js and the installed package, but no build tools.' },
  { id: 'IMG-02', says: 'Its base images are build arguments, pinned by digest by default.' },
  { id: 'IMG-03', says: "It runs as a numeric user and ends within an engine's grace period." },
  { id: 'IMG-04', says: 'Its own defaults make OIDC and MCP reachable from outside.' },
  { id: 'IMG-05', says: 'It works on a read-only root without volumes or capabilities, as any user.' },
  { id: 'IMG-06', says: '/config is the configuration, and /keys stores the keys.' },
  { id: 'IMG-07', says: 'Its health check is its own command.' },
  { id: 'IMG-08', says: 'Labels name source, version, revision, licence and documentation.' },
  { id: 'IMG-09', says: 'A workflow builds it for two architectures with provenance.' },
  { id: 'IMG-10', says: 'It is only slightly larger than its base and the package.' },
  { id: 'IMG-11', says: 'A compose file starts it with an application that logs in.' },
  { id: 'IMG-12', says: 'Kubernetes manifests pass the schema and restricted pod security.' },
  { id: 'IMG-13', says: 'CI examples wait for health.' },
  { id: 'IMG-14', says: 'Testcontainers classes return issuer, discovery and token.' },
  { id: 'IMG-15', says: 'Guides explain what to do if browser and container use different names for it.' },
  { id: 'IMG-16', says: 'The checks build the whole Dockerfile without an engine.' },
  {
    id: 'IMG-17',
    says: 'They run its root file system in namespaces, read-only and without capabilities.',
  },
  { id: 'IMG-18', says: 'Example files are checked against schemas and the product itself.' },
  { id: 'IMG-19', says: 'The documentation states what these checks do not prove.' },
];
