// The frame of the web UI: navigation, the logged-in user, whether writing is unlocked, and the notice of a redirect.

import type { ComponentChildren } from 'preact';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { currentLogin } from '#shared/engine/login/browser-sessions.ts';
import type { ScriptName } from '#shared/web/pages/assets.ts';
import { Icon, type IconName } from '#shared/web/pages/components/icon.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { IfPathExists, OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { Monogram } from '#shared/web/pages/components/persona-picker.tsx';
import { renderPage, Wordmark } from '#shared/web/pages/page.tsx';
import { page } from '#shared/web/pages/page-reply.ts';
import { isUnlocked } from '../management-secret.ts';
import { FilesOnDisk } from './files-on-disk.tsx';
import { Locked } from './form-parts.tsx';
import { noticeFromQuery } from './notices.ts';

export interface ManagementPage {
  /** The page's name in tab and heading. User and client names belong in `heading` alone. */
  readonly title: string;
  readonly heading?: ComponentChildren;
  /** The purpose of the page, under the heading. */
  readonly lead?: ComponentChildren;
  /** Buttons at the end of the heading's line. */
  readonly actions?: ComponentChildren;
  /** The entry of the navigation that this page belongs to. */
  readonly section: Section | undefined;
  /** The address for opening this page, when a route without GET shows it. */
  readonly address?: string;
  /** The outcome of the previous request. */
  readonly notice?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly scripts?: readonly ScriptName[];
  readonly status?: number;
  /** The page must not be cached. */
  readonly noStore?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

const sections = [
  { path: '/', label: 'Dashboard', icon: 'dashboard' },
  { path: '/users', label: 'Users', icon: 'users' },
  { path: '/clients', label: 'Clients', icon: 'clients' },
  { path: '/service-providers', label: 'Service providers', icon: 'service-providers' },
  { path: '/claims', label: 'Claims', icon: 'claims' },
  { path: '/sessions', label: 'Sessions', icon: 'sessions' },
  { path: '/keys', label: 'Keys', icon: 'keys' },
  { path: '/flows', label: 'Flows', icon: 'flows' },
  { path: '/verdict', label: 'Verdict', icon: 'verdict' },
  { path: '/audit', label: 'Audit', icon: 'audit' },
  { path: '/clock', label: 'Clock', icon: 'clock' },
  { path: '/faults', label: 'Faults', icon: 'faults' },
  { path: '/sandboxes', label: 'Sandboxes', icon: 'sandboxes' },
  { path: '/test', label: 'Tester', icon: 'test' },
  { path: '/settings', label: 'Settings', icon: 'settings' },
] as const satisfies readonly { path: string; label: string; icon: IconName }[];

export type Section = (typeof sections)[number]['path'];

export async function managementPage(
  request: ParsedRequest,
  context: ManagementContext,
  { title, heading = title, lead, actions, section, notice, children, ...rest }: ManagementPage,
): Promise<Reply> {
  const arrived = noticeFromQuery(request.query, context.snapshot);
  const session = await sessionState(context);
  const text = renderPage({
    path: context.path,
    reaches: context.reaches,
    title,
    bodyClass: 'shell',
    header: <ShellHeader section={section} session={session} sandbox={context.sandbox} />,
    scripts: ['copy.js', ...(rest.scripts ?? [])],
    children: (
      <>
        <div class="page-head">
          <div>
            <h1>{heading}</h1>
            {lead !== undefined && <p class="page-lead">{lead}</p>}
          </div>
          {actions !== undefined && <div class="row">{actions}</div>}
        </div>
        {arrived !== undefined && <Notice kind={arrived.kind}>{arrived.text}</Notice>}
        {notice}
        <IfPathExists path="/settings/reload">
          <FilesOnDisk context={context} address={rest.address ?? request.path} />
        </IfPathExists>
        <Locked value={session.unlocked === false}>{children}</Locked>
      </>
    ),
  });
  return { ...page(rest.status ?? 200, text, rest.headers), noStore: rest.noStore === true };
}

interface SessionState {
  readonly username: string | undefined;
  /** undefined: no management secret is set. */
  readonly unlocked: boolean | undefined;
}

async function sessionState(context: ManagementContext): Promise<SessionState> {
  const login = await currentLogin(context);
  const gated = context.snapshot.managementSecret !== undefined;
  return { username: login?.username, unlocked: gated ? await isUnlocked(context) : undefined };
}

interface ShellHeaderProps {
  readonly section: Section | undefined;
  readonly session: SessionState;
  readonly sandbox: string | undefined;
}

function ShellHeader({ section, session, sandbox }: ShellHeaderProps) {
  return (
    <header class="shell-side">
      <OwnLink class="shell-home" href="/">
        <Wordmark />
      </OwnLink>
      {sandbox !== undefined && (
        <p class="shell-sandbox">
          Sandbox <strong>{sandbox}</strong>
        </p>
      )}
      <nav class="shell-nav" aria-label="Main">
        <ul>
          {sections.map(({ path, label, icon }) => (
            <IfPathExists key={path} path={path}>
              <li>
                <OwnLink href={path} aria-current={path === section ? 'page' : undefined}>
                  <Icon name={icon} />
                  {label}
                </OwnLink>
              </li>
            </IfPathExists>
          ))}
        </ul>
      </nav>
      <div class="shell-session">
        <WriteState unlocked={session.unlocked} />
        <WhoIsHere username={session.username} />
      </div>
    </header>
  );
}

function WriteState({ unlocked }: { readonly unlocked: boolean | undefined }) {
  if (unlocked === undefined) return null;
  return unlocked ? (
    <span class="shell-state">
      <Icon name="unlocked" /> Writing unlocked
    </span>
  ) : (
    <IfPathExists path="/management/unlock">
      <OwnLink class="shell-state" href="/management/unlock">
        <Icon name="locked" /> Unlock writing
      </OwnLink>
    </IfPathExists>
  );
}

function WhoIsHere({ username }: { readonly username: string | undefined }) {
  if (username === undefined) {
    return (
      <OwnLink class="shell-state" href="/login">
        <Icon name="leave" /> Log in
      </OwnLink>
    );
  }
  return (
    <div class="shell-who">
      <Monogram name={username} small />
      <span class="shell-name">
        <bdi>{username}</bdi>
      </span>
      <OwnLink href="/ui/logout">Log out</OwnLink>
    </div>
  );
}
