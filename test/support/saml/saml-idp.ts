// A running stack for SAML tests whose settings change between tests by a reload, so that one server serves a whole file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { BrowserClient } from '#test/support/browser-client.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';

export interface AuditRow {
  readonly event_type: string;
  readonly username: string | null;
  readonly endpoint: string | null;
  readonly method: string | null;
  readonly status: string;
  readonly details: Record<string, unknown>;
}

export interface SettingsParts {
  readonly saml?: object;
  readonly oauth?: object;
  readonly login?: object;
  readonly [section: string]: object | string | boolean | undefined;
}

export const samlUsers = {
  alice: {
    password: 'wonderland',
    email: 'alice@example.com',
    identity_class: 'INTERNAL',
    roles: ['USER', 'ADMIN'],
    groups: ['staff', 'ADMIN'],
    entitlements: ['E1', 'E,2'],
    source_acl: ['ACL1'],
    tenant: 'secret-tenant',
    description: 'secret-description',
    attributes: { department: 'Sales, EMEA', level: 3, nested: { a: [1] }, list: ['x', 2], off: false, none: '' },
  },
  bob: { password: 'builder', roles: [] },
};

export class SamlIdp {
  readonly running: RunningIdp;
  readonly url: string;

  private constructor(running: RunningIdp) {
    this.running = running;
    this.url = running.baseUrl;
  }

  static async start(settings: SettingsParts = {}, users: object = samlUsers): Promise<SamlIdp> {
    return new SamlIdp(await startIdp({ settings: complete(settings), users: { users } }));
  }

  /** Puts other settings, and users when given, into force. */
  async reconfigure(settings: SettingsParts = {}, users: object = samlUsers): Promise<void> {
    writeFileSync(join(this.running.configDirectory, 'settings.yaml'), stringify(complete(settings)));
    writeFileSync(join(this.running.configDirectory, 'users.yaml'), stringify({ users }));
    const reloaded = await fetch(`${this.url}/api/config/reload`, { method: 'POST' });
    if (reloaded.status !== 200) throw new Error(`reload answered ${reloaded.status}: ${await reloaded.text()}`);
  }

  browser(): BrowserClient {
    return new BrowserClient(this.url);
  }

  /** A browser that logged in at /login. */
  async loggedIn(username = 'alice', password = 'wonderland'): Promise<BrowserClient> {
    const browser = this.browser();
    const page = await browser.post('/login', { username, password });
    if (page.location !== '/') throw new Error(`login answered ${page.status} ${page.location}`);
    return browser;
  }

  /** What `action` left in the audit, oldest first. */
  async audited(action: () => Promise<unknown>): Promise<AuditRow[]> {
    await fetch(`${this.url}/api/audit/clear`, { method: 'POST' });
    await action();
    const body: { entries: AuditRow[] } = await (await fetch(`${this.url}/api/audit?limit=-1`)).json();
    return body.entries;
  }

  stop(): Promise<number | null> {
    return this.running.stop();
  }
}

function complete({ oauth, ...rest }: SettingsParts): object {
  return { oauth: { issuer: 'http://127.0.0.1:8000', issuer_from_request: true, ...oauth }, ...rest };
}
