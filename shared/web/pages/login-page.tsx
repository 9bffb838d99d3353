// The frame of every login, code and device page: one centred column on the security print. It shows the colours, logo
// and texts of the client that requested the login (CFG-K72, CFG-K73).
import type { ComponentChildren } from 'preact';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { ScriptName } from './assets.ts';
import { clientThemeAddress } from './client-theme.ts';
import { Card } from './components/card.tsx';
import { LoginFooter } from './components/login-footer.tsx';
import { type PageProps, renderPage, Wordmark } from './page.tsx';

export interface LoginPageProps {
  /** The page's name in the tab. */
  readonly title: string;
  /** What the user should do. The page's only h1. */
  readonly heading: string;
  /** The application or purpose, in one sentence under the heading. */
  readonly lead?: ComponentChildren;
  /** The client that requested the login. undefined at /login. */
  readonly client?: Client | undefined;
  /** Address of the client's logo, as `clientLogoAddress` found it. */
  readonly logo?: string | undefined;
  readonly path: PageProps['path'];
  readonly children: ComponentChildren;
  /** Content below the card: other ways to continue. */
  readonly below?: ComponentChildren;
  readonly scripts?: readonly ScriptName[] | undefined;
  /** The card holds many badges side by side. */
  readonly wide?: boolean | undefined;
}

export function renderLoginPage({
  title,
  heading,
  lead,
  client,
  logo,
  path,
  children,
  below,
  wide = false,
  scripts,
}: LoginPageProps): string {
  const theme = client && clientThemeAddress(client);
  return renderPage({
    title,
    path,
    width: 'narrow',
    bodyClass: ['login-ground', client?.layout === 'horizontal' && 'layout-horizontal', wide && 'login-wide']
      .filter((name) => name !== false)
      .join(' '),
    header: client === undefined ? undefined : <ClientHeader client={client} logo={logo} />,
    footer: <LoginFooter />,
    styleSheets: theme === undefined ? [] : [theme],
    scripts,
    children: (
      <>
        <Card title={heading} level={1} lead={lead}>
          {children}
        </Card>
        {below}
      </>
    ),
  });
}

function ClientHeader({ client, logo }: { readonly client: Client; readonly logo: string | undefined }) {
  const description = client.show_description && client.description !== '' ? client.description : undefined;
  return (
    <header class="client-header">
      <div class="client-words">
        {logo !== undefined && <img class="client-logo" src={logo} alt="" />}
        {client.show_client_id && (
          <p class="client-name">
            <bdi>{client.client_id}</bdi>
          </p>
        )}
        {description !== undefined && (
          <p class="client-description">
            <bdi>{description}</bdi>
          </p>
        )}
        {!client.show_client_id && description === undefined && logo === undefined && <Wordmark />}
        <ClientLinks client={client} />
      </div>
    </header>
  );
}

/** The client's links to its own policy and terms (OIDC Registration §2, SSO-55). */
function ClientLinks({ client: { policy_uri, tos_uri } }: { readonly client: Client }) {
  if (policy_uri === undefined && tos_uri === undefined) return null;
  return (
    <p class="client-description">
      {policy_uri !== undefined && (
        <a href={policy_uri} rel="noreferrer">
          Privacy policy
        </a>
      )}
      {policy_uri !== undefined && tos_uri !== undefined && ' · '}
      {tos_uri !== undefined && (
        <a href={tos_uri} rel="noreferrer">
          Terms of service
        </a>
      )}
    </p>
  );
}
