// The text of `--help`, for the program and for each command: purpose, options, and examples that work unchanged.
import { type CommandName, type DescribedOptions, optionsOf } from './options.ts';

const summaries: Readonly<Record<CommandName, string>> = {
  start: 'run the whole stack: OIDC, REST API, web UI and SAML at one address, and the MCP server',
  oidc: 'run the OIDC frontend with REST API and web UI alone',
  saml: 'run the SAML frontend alone',
  mcp: 'run the MCP server on standard input and output, for an editor',
  'validate-config': 'check the configuration without starting anything',
  'config-schema': 'print the JSON Schema of the configuration files',
  init: 'write commented configuration files to start from',
  token: 'print an access token of a running instance, or of one started for that',
  ca: 'print the certificate of the authority that clients have to trust with TLS',
  health: 'exit with 0 when a running instance answers, else with 1',
  exam: 'run a client through every fault and report what it wrongly accepted',
};

const gateEnvironment = `
Environment:
  IDP_MANAGEMENT_SECRET  the secret for writes, while the files have no management_secret`;

const details: Readonly<Record<CommandName, string>> = {
  start: `Usage: test-idp start [options]

Runs a supervisor with its workers in the foreground until SIGTERM or Ctrl-C, which lets requests in flight finish.

${optionLines('start')}
${gateEnvironment}
  IDP_DEFAULT_HOST       the address to bind where neither --host nor server.host names one, and that of MCP;
                         the container image sets it and the next
  IDP_DEFAULT_MCP_PORT   the port of MCP without --mcp-port

Examples:
  test-idp start
  test-idp start --port 0 --ready-json
  test-idp start --demo
  test-idp start --tls
  test-idp start --config-dir ./my-idp --oidc-workers auto --mcp-port 8001`,
  oidc: `Usage: test-idp oidc [options]

Runs the OIDC frontend alone in the foreground; SAML paths answer 404.

${optionLines('oidc')}
${gateEnvironment}

Examples:
  test-idp oidc --port 9000
  IDP_CONFIG_DIR=./my-idp test-idp oidc`,
  saml: `Usage: test-idp saml [options]

Runs the SAML frontend alone in the foreground; OAuth and OIDC paths answer 404.

${optionLines('saml')}

Examples:
  test-idp saml --port 9001
  test-idp saml --config-dir ./my-idp --log-level DEBUG`,
  mcp: `Usage: test-idp mcp [options]

Speaks the Model Context Protocol on standard input and output until the client closes it. Logs go to standard error.

${optionLines('mcp')}
${gateEnvironment}
  IDP_MCP_READONLY=true  the same as --readonly; also 1 or yes

Example, as an entry of an editor's MCP configuration:
  {"mcpServers": {"test-idp": {"command": "test-idp", "args": ["mcp", "--config-dir", "/absolute/path/config"]}}}`,
  'validate-config': `Usage: test-idp validate-config [options]

Prints what a start would say about the configuration. Exit code 0: valid, 1: invalid (a directory that is
not there and an unreadable file included), 2: it could not look, say because the directory is locked.
Neither hooks nor plugins run; keys, store and ports are not touched. With strict validation, by the option or by
config_validation in the file, a missing file fails here, although a start goes on with built-in defaults.

${optionLines('validate-config')}

Examples:
  test-idp validate-config
  test-idp validate-config --strict --config-dir ./my-idp
  test-idp validate-config --lines`,
  'config-schema': `Usage: test-idp config-schema [--file settings|users]

Prints the JSON Schemas of settings.yaml and users.yaml as two members of one object, or with --file the schema of
one of them alone, as editors and other tools want it.

${optionLines('config-schema')}

Examples:
  test-idp config-schema --file settings > settings.schema.json
  test-idp config-schema --file users > users.schema.json`,
  init: `Usage: test-idp init [directory]

Writes a commented settings.yaml and users.yaml into the directory. Files that are there are left as they are.

${optionLines('init')}

Examples:
  test-idp init
  test-idp init ./my-idp && test-idp start --config-dir ./my-idp`,
  token: `Usage: test-idp token [options]

Prints one access token and nothing else. When no instance was named and none answers, one is started for this token.

${optionLines('token')}

Environment:
  IDP_URL                the instance, where --url is left out
  IDP_MANAGEMENT_SECRET  the secret of an instance that has one, needed with --user

Examples:
  curl -H "Authorization: Bearer $(test-idp token)" http://127.0.0.1:3000/
  test-idp token --user alice --scope 'openid email' --json
  test-idp token --client shop:its-secret --exp 5 --claims '{"department":"ops"}'`,
  ca: `Usage: test-idp ca [options]

Prints the certificate of the authority in the keys directory, and makes it before the first start with --tls; with
server.tls {cert, key, ca} the file that ca names. Who trusts it trusts every certificate this configuration serves.

${optionLines('ca')}

Examples:
  test-idp ca > test-idp-ca.pem
  NODE_EXTRA_CA_CERTS="$(test-idp ca --path)" node app.js`,
  health: `Usage: test-idp health [options]

Asks /health of a running instance. Exit code 0: it answers, 1: it does not, with the reason on standard error.

${optionLines('health')}

Environment:
  IDP_URL                the instance, where --url is left out

Example, in a Dockerfile:
  HEALTHCHECK CMD ["test-idp", "health"]`,
  exam: `Usage: test-idp exam --client ID --login-url URL [options]
       test-idp exam --saml --sp ENTITY --login-url URL [options]

Logs into the application once, then once under each fault of the catalogue, and prints what the client did.
Exit code 0: all good, 1: the client did wrong in a case, 2: a case is undecided, or the exam could not look.

${optionLines('exam')}

Environment:
  IDP_MANAGEMENT_SECRET  the secret, where --management-secret is left out
  CHROME_PATH            the Chromium of --browser, where none is on the PATH

Examples:
  test-idp exam --client web --login-url http://localhost:3000/login --allow-undecided
  test-idp exam --client web --login-url http://localhost:3000/login --only 'alg_*,token_*' --junit exam.xml
  test-idp exam --saml --sp urn:my-app --login-url http://localhost:3000/ --logged-in-when 'text=Log out'
  test-idp exam --list`,
};

function optionLines(name: CommandName): string {
  const described: DescribedOptions = optionsOf[name];
  const lines = [
    ...Object.entries(described).map(
      ([option, { value, says }]) => [value === undefined ? `--${option}` : `--${option} ${value}`, says] as const,
    ),
    ['-h, --help', 'this text'] as const,
  ];
  const width = Math.max(20, ...lines.map(([usage]) => usage.length)) + 2;
  return lines.map(([usage, says]) => `  ${usage.padEnd(width)}${says}`).join('\n');
}

export function programHelp(): string {
  const commands = Object.entries(summaries).map(([name, summary]) => `  ${name.padEnd(17)}${summary}`);
  return `Usage: test-idp <command> [options]

An identity provider for testing OAuth 2, OpenID Connect, SAML 2.0 and MCP clients.

Commands:
${commands.join('\n')}

  test-idp <command> --help explains a command and its options.
  test-idp --version prints the version.

Examples:
  test-idp start
  test-idp start --port 0 --ready-json
  test-idp init ./my-idp && test-idp start --config-dir ./my-idp
`;
}

export function commandHelp(name: CommandName): string {
  return `${details[name]}\n`;
}

/** One line for standard error after a usage error. */
export function usageLine(name: CommandName | undefined): string {
  const usage = name === undefined ? programHelp() : details[name];
  return `${usage.split('\n', 1)[0]}\nSee test-idp ${name === undefined ? '' : `${name} `}--help.\n`;
}
