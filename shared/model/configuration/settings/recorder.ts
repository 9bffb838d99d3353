// The section `recorder` of settings.yaml: what is recorded of requests to protocol endpoints (REC-06, REC-07).
import { fields } from '../field.ts';
import { flag, oneOf, section } from '../value-kinds.ts';

export const recorderSettings = section({
  enabled: flag(true).register(fields, {
    description:
      'Keep each protocol request with its answer, secrets as fingerprints, for `/flows` and `/api/exchanges`.',
    fileOnly: true,
    sandbox: true,
    yaml: 'unless-default',
  }),
  secrets: oneOf(['fingerprint', 'keep']).default('fingerprint').register(fields, {
    description:
      'What is kept of passwords, codes and tokens: a `fingerprint`, or with `keep` the whole value, which `POST /api/exchanges/<id>/reveal` answers.',
    fileOnly: true,
    yaml: 'unless-default',
  }),
}).prefault({});
