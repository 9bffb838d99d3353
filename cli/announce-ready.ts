// The one line on standard output that says the program answers (CLI-06): for a person, or as JSON for programs that
// started it and wait.
export interface ReadyUrls {
  readonly baseUrl: string;
  readonly mcpUrl?: string;
}

export function announceReady({ baseUrl, mcpUrl }: ReadyUrls, asJson: boolean): void {
  const line = asJson
    ? JSON.stringify({ event: 'ready', base_url: baseUrl, pid: process.pid, mcp_url: mcpUrl })
    : `test-idp is ready: ${baseUrl}${mcpUrl === undefined ? '' : `, MCP at ${mcpUrl}`} (Ctrl-C ends it)`;
  process.stdout.write(`${line}\n`);
}
