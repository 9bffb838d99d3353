// The section `server` of settings.yaml: listening addresses and accepted callers.
import * as z from 'zod';
import { localNamesDescribed } from '#shared/protocol/local-names.ts';
import { fields } from '../field.ts';
import { problemOfAllowedHost, problemOfCertificateName, problemOfRate } from '../text-formats.ts';
import { filledText, flag, judged, section, wholeNumber } from '../value-kinds.ts';
import { tlsSetting } from './tls.ts';

export const serverSettings = section({
  host: filledText().default('127.0.0.1').register(fields, {
    description: 'Address to bind; `--host` wins over it.',
    machine: true,
    restart: true,
    fileOnly: true,
    api: true,
  }),
  port: wholeNumber(1, 65_535).default(8000).register(fields, {
    description: 'Port to bind; `--port` wins over it, and `--port 0` takes a free one.',
    machine: true,
    restart: true,
    fileOnly: true,
    api: true,
  }),
  allowed_hosts: z
    .array(
      judged(problemOfAllowedHost).transform((host) => host.toLowerCase()),
      'must be a list of hosts',
    )
    .default([])
    .register(fields, {
      description: `Further names (\`host\` or \`host:port\`) at which the web UI and \`/api\` answer, beside the hosts of \`oauth.issuer\` and \`oauth.issuer_allowlist\`. Bound to loopback, loopback names always count. Bound to more, names that no website has always count: ${localNamesDescribed}. With \`management_secret\` every name counts there.`,
      fileOnly: true,
      api: true,
      example: '["idp.test", "idp.example:8443"]',
    }),
  tls: tlsSetting().optional().register(fields, {
    description:
      'Speak TLS: `auto` has a certificate made by an authority of its own in `jwt.keys_dir`, `{cert, key, ca}` names PEM files. `--tls` means `auto`. Absent: plain HTTP.',
    machine: true,
    pattern: '^auto$',
    restart: true,
    fileOnly: true,
    example: '"auto"',
    whenAbsent: 'plain HTTP',
  }),
  tls_names: z
    .array(judged(problemOfCertificateName), 'must be a list of names and addresses')
    .default([])
    .register(fields, {
      description:
        'With `server.tls: auto`: further names, also such as `*.idp.test`, and addresses that the certificate bears, beside loopback, the name of the machine, `server.host` and the host of `oauth.issuer`.',
      machine: true,
      fileOnly: true,
      example: '["idp.test", "*.idp.test", "192.0.2.7"]',
    }),
  debug: flag(false).register(fields, {
    description: 'More detail in error pages (always off under `stricter-dev`).',
    fileOnly: true,
  }),
  rate_limit_token_endpoint: judged(problemOfRate).default('10/minute').register(fields, {
    description: 'The rate, such as `10/minute`; also second, hour and day.',
    restart: true,
    pattern: '^[1-9][0-9]*/(second|minute|hour|day)$',
    fileOnly: true,
    api: true,
  }),
}).prefault({});
