// What an entry of oauth.clients[] decides about the tokens of the client: scopes, audience and lifetimes, and the roles
// and groups of its own tokens (CLS-K01 to CLS-K05).

import * as z from 'zod';
import { type FieldNotes, fields } from './field.ts';
import { clientLifetimes } from './settings/token-lifetimes.ts';
import { filledText, textsOrText } from './value-kinds.ts';

const audiencesMax = 20;

const ownList = (notes: FieldNotes) => textsOrText().default([]).register(fields, notes);

export const clientTokens = {
  roles: ownList({
    description: "Roles in the client's own tokens (client_credentials).",
    label: 'Roles',
    example: '["Task.Read.All"]',
    form: { section: 'tokens', hint: 'One per line. In its own tokens only, not in those of users.' },
  }),
  groups: ownList({
    description: "Groups in the client's own tokens (client_credentials).",
    label: 'Groups',
    example: '["batch"]',
    form: { section: 'tokens', hint: 'One per line. In its own tokens only, not in those of users.' },
  }),
  audience: z
    .union(
      [
        z
          .array(filledText(), 'must be a list, such as [a, b]')
          .max(audiencesMax, `must have at most ${audiencesMax} items`),
        filledText().transform((value) => [value]),
      ],
      'must be a string or a list of strings, such as [a, b]',
    )
    .default([])
    .register(fields, {
      description: '`aud` of its access tokens, in place of `oauth.audience`. Resources of a request override it.',
      label: 'Audience',
      example: '"https://orders.example.org"',
      form: { section: 'tokens', hint: 'One per line. Replaces oauth.audience for this client.' },
    }),
  default_scopes: ownList({
    description: 'Scopes of its requests without `scope`, as a list or separated by spaces.',
    label: 'Default scopes',
    example: '["openid", "profile"]',
    form: { section: 'tokens', hint: 'One per line. Used by requests without scope.' },
  }),
  ...clientLifetimes,
};
