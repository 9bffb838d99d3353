// The section `server` of settings.yaml: listening addresses and accepted callers.
import * as z from 'zod';
import { localNamesDescribed } from '#shared/protocol/local-names.ts';
import { fields } from '../field.ts';
import { problemOfAllowedHost, problemOfCertificateName, problemOfRate } from '../text-formats.ts';
import { filledText, flag, judged, section, wholeNumber } from '../value-kinds.ts';
import { tlsSetting } from './tls.ts';

export const serverSettings = section({
  host: filledText().default('127.0.0.1').register(fields, {
    description: 'Address to bind. `--host` overrides it.',
    machine: true,
    restart: true,
    fileOnly: true,
    api: true,
  }),
  port: wholeNumber(1, 65_535).default(8000).register(fields, {
    description: 'Port to bind. `--port` overrides it, and `--port 0` selects a free one.',
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
      description: `Additional host names (\`host\` or \`host:port\`) for the web UI and \`/api\`. The hosts of \`oauth.issuer\`, \`oauth.base_url\` and \`oauth.issuer_allowlist\` are always allowed. A server on loopback also allows loopback names. A server on other addresses also allows names that no website can have: ${localNamesDescribed}. With \`management_secret\`, a server on other addresses allows every name.`,
      fileOnly: true,
      api: true,
      example: '["idp.test", "idp.example:8443"]',
    }),
  tls: tlsSetting().optional().register(fields, {
    description:
      'Enable TLS. `auto` creates a certificate with its own authority in `jwt.keys_dir`, and `{cert, key, ca}` names PEM files. `--tls` means `auto`. Absent: plain HTTP.',
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
        "Additional names (also like `*.idp.test`) and addresses of the certificate with `server.tls: auto`. It always has loopback, the machine's name, `server.host` and the host of `oauth.issuer`.",
      machine: true,
      fileOnly: true,
      example: '["idp.test", "*.idp.test", "192.0.2.7"]',
    }),
  debug: flag(false).register(fields, {
    description: 'More detail in error pages (always off under `stricter-dev`).',
    fileOnly: true,
  }),
  rate_limit_token_endpoint: judged(problemOfRate).default('10/minute').register(fields, {
    description: 'The rate, such as `10/minute`. Units are second, minute, hour and day.',
    restart: true,
    pattern: '^[1-9][0-9]*/(second|minute|hour|day)$',
    fileOnly: true,
    api: true,
  }),
}).prefault({});
