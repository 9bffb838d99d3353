// The command line that issues the same token over the REST API, quoted for a POSIX shell.
interface CurlOptions {
  /** The prefix of the paths of the server's API. */
  readonly base: string;
  readonly username: string;
  readonly clientId: string | undefined;
  readonly expMinutes: number | undefined;
  /** Further fields of the body, as the REST API names them. undefined: left out. */
  readonly changes: Readonly<Record<string, unknown>>;
  /** A management secret is required. The command reads it from the environment. It is never printed. */
  readonly gated: boolean;
}

export function tokenCurl({ base, username, clientId, expMinutes, changes, gated }: CurlOptions): string {
  const body = {
    ...(expMinutes === undefined ? {} : { exp_minutes: expMinutes }),
    ...(clientId === undefined ? {} : { client_id: clientId }),
    ...changes,
  };
  const parts = [
    `curl -sS -X POST ${quoted(`${base}/api/users/${encodeURIComponent(username)}/token`)}`,
    ...(gated ? ['-H "X-Management-Secret: $IDP_MANAGEMENT_SECRET"'] : []),
    ...(Object.keys(body).length === 0
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ];
  return parts.join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
