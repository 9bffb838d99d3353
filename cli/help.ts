// The text of `--help`, for the program and for each command: purpose, options, and examples that work unchanged.
import { type CommandName, type DescribedOptions, optionsOf } from './options.ts';

const summaries: Readonly<Record<CommandName, string>> = {
  start: 'run everything: OIDC, SAML, REST API and web UI at one address, and the MCP server',
  oidc: 'run only the OIDC frontend, with REST API and web UI',
  saml: 'run only the SAML frontend',
  mcp: 'run the MCP server on standard input and output, for editors',
  'validate-config': 'check the configuration files',
  'config-schema': 'print the JSON Schema of the configuration files',
  init: 'write example configuration files with comments',
  token: 'print an access token',
  ca: 'print the CA certificate that clients have to trust for TLS',
  health: 'exit with 0 if a running instance responds, else with 1',
  exam: 'test a client with every fault and report what it wrongly accepted',
};

const gateEnvironment = `
Environment:
  IDP_MANAGEMENT_SECRET  the secret for writes, if the files have no management_secret`;

const details: Readonly<Record<CommandName, string>> = {
  start: `Usage: test-idp start [options]

Runs a supervisor and its workers in the foreground. SIGTERM or Ctrl-C stops it after the running requests finish.

${optionLines('start')}
${gateEnvironment}
  IDP_DEFAULT_HOST       the address to bind without --host and server.host, also for MCP (set in the container image)
  IDP_DEFAULT_MCP_PORT   the port of MCP without --mcp-port (set in the container image)

Examples:
  test-idp start
  test-idp start --port 0 --ready-json
  test-idp start --demo
  test-idp start --tls
  test-idp start --config-dir ./my-idp --oidc-workers auto --mcp-port 8001`,
  oidc: `Usage: test-idp oidc [options]

Runs only the OIDC frontend, in the foreground. SAML paths return 404.

${optionLines('oidc')}
${gateEnvironment}

Examples:
  test-idp oidc --port 9000
  IDP_CONFIG_DIR=./my-idp test-idp oidc`,
  saml: `Usage: test-idp saml [options]

Runs only the SAML frontend, in the foreground. OAuth and OIDC paths return 404.

${optionLines('saml')}

Examples:
  test-idp saml --port 9001
  test-idp saml --config-dir ./my-idp --log-level DEBUG`,
  mcp: `Usage: test-idp mcp [options]

Speaks the Model Context Protocol on standard input and output until the client closes it. Logs go to standard error.

${optionLines('mcp')}
${gateEnvironment}
  IDP_MCP_READONLY=true  same as --readonly (also 1 or yes)

Example for an editor's MCP configuration:
  {"mcpServers": {"test-idp": {"command": "test-idp", "args": ["mcp", "--config-dir", "/absolute/path/config"]}}}`,
  'validate-config': `Usage: test-idp validate-config [options]

Checks the configuration files and prints the findings. Does not run hooks or plugins, and does not use keys, store
or ports. With strict validation (--strict, or config_validation in the file), a missing file is an error, although
a start uses built-in defaults.

Exit code:
  0  valid
  1  invalid, including a missing directory and an unreadable file
  2  not checked, for example because the directory is locked

${optionLines('validate-config')}

Examples:
  test-idp validate-config
  test-idp validate-config --strict --config-dir ./my-idp
  test-idp validate-config --lines`,
  'config-schema': `Usage: test-idp config-schema [--file settings|users]

Prints the JSON Schemas of settings.yaml and users.yaml as two members of one object. Editors and other tools need the
schema of one file, so use --file.

${optionLines('config-schema')}

Examples:
  test-idp config-schema --file settings > settings.schema.json
  test-idp config-schema --file users > users.schema.json`,
  init: `Usage: test-idp init [directory]

Writes settings.yaml and users.yaml with comments into the directory. Existing files stay unchanged.

${optionLines('init')}

Examples:
  test-idp init
  test-idp init ./my-idp && test-idp start --config-dir ./my-idp`,
  token: `Usage: test-idp token [options]

Prints one access token and nothing else. Starts an instance for the token if none is named and none is running.

${optionLines('token')}

Environment:
  IDP_URL                the instance, without --url
  IDP_MANAGEMENT_SECRET  the management secret of the instance, if it has one (needed with --user and to change claims)

Examples:
  curl -H "Authorization: Bearer $(test-idp token)" http://127.0.0.1:3000/
  test-idp token --user alice --scope 'openid email' --json
  test-idp token --client shop:its-secret --exp 5 --claims '{"department":"ops"}'`,
  ca: `Usage: test-idp ca [options]

Prints the certificate of the authority in the keys directory, and creates it if necessary. With server.tls
{cert, key, ca}, prints the file named by ca. A client that trusts it trusts all certificates of this configuration.

${optionLines('ca')}

Examples:
  test-idp ca > test-idp-ca.pem
  NODE_EXTRA_CA_CERTS="$(test-idp ca --path)" node app.js`,
  health: `Usage: test-idp health [options]

Requests /health of a running instance.

Exit code:
  0  it responds
  1  it does not respond (standard error has the reason)

${optionLines('health')}

Environment:
  IDP_URL                the instance, without --url

Example for a Dockerfile:
  HEALTHCHECK CMD ["test-idp", "health"]`,
  exam: `Usage: test-idp exam --client ID --login-url URL [options]
       test-idp exam --saml --sp ENTITY --login-url URL [options]

Logs in to the application once without a fault, then once with each fault of the catalogue. Prints how the client
handled each one.

Exit code:
  0  the client handled all cases correctly
  1  the client failed in a case
  2  a case is undecided, or the exam could not run

${optionLines('exam')}

Environment:
  IDP_MANAGEMENT_SECRET  the management secret, without --management-secret
  CHROME_PATH            the Chromium for --browser, if none is on the PATH

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
    ['-h, --help', 'print this help'] as const,
  ];
  const width = Math.max(20, ...lines.map(([usage]) => usage.length)) + 2;
  return ['Options:', ...lines.map(([usage, says]) => `  ${usage.padEnd(width)}${says}`)].join('\n');
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
