// The section `recorder` of settings.yaml: what is recorded of requests to protocol endpoints (REC-06, REC-07).
import { fields } from '../field.ts';
import { flag, oneOf, section } from '../value-kinds.ts';

export const recorderSettings = section({
  enabled: flag(true).register(fields, {
    description:
      'Record each protocol request and response for `/flows` and `/api/exchanges`, with fingerprints instead of secrets.',
    fileOnly: true,
    sandbox: true,
    yaml: 'unless-default',
  }),
  secrets: oneOf(['fingerprint', 'keep']).default('fingerprint').register(fields, {
    description:
      'How to record passwords, codes and tokens: as a `fingerprint`, or with `keep` also the value, which `POST /api/exchanges/<id>/reveal` returns.',
    fileOnly: true,
    yaml: 'unless-default',
  }),
}).prefault({});
