// Announces that the program is ready (CLI-06): one line for people, or JSON for programs that started it and wait.
// With `--ready-file` the same JSON is written to a file (PKG-24). A terminal gets the first screen instead (PKG-19).
import type { ReadyFile } from './ready-file.ts';

export interface ReadyUrls {
  readonly baseUrl: string;
  readonly mcpUrl?: string;
  /** The address of the demonstration, if it was requested. */
  readonly demoUrl?: string | undefined;
  /** The authority that a client must trust, if TLS is on and the authority has a file. */
  readonly caFile?: string | undefined;
}

interface Announcement {
  readonly asJson: boolean;
  readonly file?: ReadyFile | undefined;
  /** What a terminal shows instead of the line. If it fails, the terminal gets the line. */
  readonly screen?: ((urls: ReadyUrls) => Promise<string>) | undefined;
}

export function announceReady(urls: ReadyUrls, { asJson, file, screen }: Announcement): void {
  const { baseUrl, mcpUrl, caFile, demoUrl } = urls;
  const further = { mcp_url: mcpUrl, ca_file: caFile, demo_url: demoUrl };
  const ready = { event: 'ready', base_url: baseUrl, pid: process.pid, ...further };
  const json = `${JSON.stringify(ready)}\n`;
  file?.write(json);
  if (asJson) process.stdout.write(json);
  else if (screen === undefined || !process.stdout.isTTY) process.stdout.write(line(urls));
  else {
    screen(urls).then(
      (text) => process.stdout.write(text),
      () => process.stdout.write(line(urls)),
    );
  }
}

function line({ baseUrl, mcpUrl, demoUrl }: ReadyUrls): string {
  const further = [
    ['MCP', mcpUrl],
    ['demonstration', demoUrl],
  ].map(([name, url]) => (url === undefined ? '' : `, ${name} at ${url}`));
  return `test-idp is ready: ${baseUrl}${further.join('')} (stop with Ctrl-C)\n`;
}
