// The pages of the demonstration: where a login begins, and the user after it. Each links to the flow and to the
// verdict of its application.
import type { ComponentChildren } from 'preact';
import { Card } from '#shared/web/pages/components/card.tsx';
import { CodeBlock } from '#shared/web/pages/components/code-block.tsx';
import { Facts } from '#shared/web/pages/components/facts.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { renderPage, Wordmark } from '#shared/web/pages/page.tsx';
import type { Result, Visitor } from './logins.ts';
import type { LoggedIn } from './relying-party.ts';
import type { AssertedUser } from './service-provider.ts';

export interface Places {
  /** The address of the demonstration. */
  readonly url: string;
  /** The address of the provider, whose pages show flows and verdicts. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly entityId: string;
}

export function renderHome({ baseUrl, clientId, entityId }: Places, { openidConnect, saml }: Visitor): string {
  return frame(baseUrl, {
    title: 'Demonstration',
    lead: 'Two small applications that log in with this identity provider. Each shows who you are, and links to every request of the login.',
    children: (
      <>
        <Card
          title="OpenID Connect"
          lead="A relying party that uses the code flow with PKCE and verifies the ID token."
        >
          <Facts facts={[['Client', <code key="client">{clientId}</code>]]} />
          <div class="row">
            <Go href="/openid-connect/login" first>
              Log in with OpenID Connect
            </Go>
            {openidConnect !== undefined && <Go href="/openid-connect">Show the logged-in user</Go>}
            <Verdict baseUrl={baseUrl} of={{ client_id: clientId }} />
          </div>
        </Card>
        <Card title="SAML 2.0" lead="A service provider that accepts only verified responses to its own requests.">
          <Facts facts={[['Entity ID', <code key="entity">{entityId}</code>]]} />
          <div class="row">
            <Go href="/saml/login" first>
              Log in with SAML
            </Go>
            {saml !== undefined && <Go href="/saml">Show the logged-in user</Go>}
            <Verdict baseUrl={baseUrl} of={{ sp: entityId }} />
          </div>
        </Card>
      </>
    ),
  });
}

export function renderOpenIdConnect({ baseUrl, clientId }: Places, { who, flow }: Result<LoggedIn>): string {
  return frame(baseUrl, {
    title: 'Logged in with OpenID Connect',
    lead: 'The relying party has verified the ID token and requested userinfo.',
    children: (
      <>
        <Card title={<bdi>{String(who.claims.sub)}</bdi>} lead="has logged in.">
          <Ways {...{ baseUrl, flow }} of={{ client_id: clientId }} again="/openid-connect/login" />
        </Card>
        <Card title="Received data">
          <CodeBlock id="claims" title="ID token" text={JSON.stringify(who.claims, null, 2)} />
          <CodeBlock id="userinfo" title="Userinfo" text={JSON.stringify(who.userinfo, null, 2)} />
        </Card>
      </>
    ),
  });
}

export function renderSaml({ baseUrl, entityId }: Places, { who, flow }: Result<AssertedUser>): string {
  const facts = Object.entries(who.attributes).map(
    ([name, values]) => [<bdi key={name}>{name}</bdi>, <bdi key={name}>{values.join(', ')}</bdi>] as const,
  );
  return frame(baseUrl, {
    title: 'Logged in with SAML',
    lead: 'The service provider has verified the signature of the response, and that it belongs to its own request.',
    children: (
      <>
        <Card title={<bdi>{who.nameId}</bdi>} lead="has logged in.">
          <Ways {...{ baseUrl, flow }} of={{ sp: entityId }} again="/saml/login" />
        </Card>
        <Card title="Received data">
          {facts.length === 0 ? <p class="soft">The Assertion has no attributes.</p> : <Facts facts={facts} />}
        </Card>
      </>
    ),
  });
}

export interface Failure {
  readonly status: number;
  /** A reason for a person. It includes the provider's message. */
  readonly reason: string;
  /** The flow of the failed login. */
  readonly flow?: string | undefined;
}

export function renderFailure({ url, baseUrl }: Places, { status, reason, flow }: Failure): string {
  return frame(baseUrl, {
    title: status === 404 ? 'Page not found' : 'The login failed',
    lead: undefined,
    children: (
      <Card>
        <Notice kind="refusal">{reason}</Notice>
        <div class="row">
          <Steps {...{ baseUrl, flow }} />
          <Go href={`${url}/`} first={flow === undefined}>
            Back to the demonstration
          </Go>
        </div>
      </Card>
    ),
  });
}

interface Framed {
  readonly title: string;
  readonly lead: string | undefined;
  readonly children: ComponentChildren;
}

function frame(baseUrl: string, { title, lead, children }: Framed): string {
  return renderPage({
    title,
    path: (path) => path,
    bodyClass: 'demo',
    scripts: ['copy.js'],
    header: (
      <header class="plain-header">
        <a class="shell-home" href={`${baseUrl}/`}>
          <Wordmark />
        </a>
      </header>
    ),
    footer: (
      <footer class="login-footer">
        An example application of the test identity provider. No account here is real.
      </footer>
    ),
    children: (
      <>
        <div class="page-head">
          <div>
            <h1>{title}</h1>
            {lead !== undefined && <p class="page-lead">{lead}</p>}
          </div>
        </div>
        {children}
      </>
    ),
  });
}

interface WaysProps {
  readonly baseUrl: string;
  readonly flow: string | undefined;
  readonly of: Readonly<Record<string, string>>;
  readonly again: string;
}

function Ways({ baseUrl, flow, of, again }: WaysProps) {
  return (
    <div class="row">
      <Steps {...{ baseUrl, flow }} />
      <Verdict baseUrl={baseUrl} of={of} />
      <Go href={again}>Log in again</Go>
      <Go href="/">Back to the demonstration</Go>
    </div>
  );
}

/** Nothing if the recorder has no flow. */
function Steps({ baseUrl, flow }: Pick<WaysProps, 'baseUrl' | 'flow'>) {
  if (flow === undefined) return null;
  return (
    <Go href={`${baseUrl}/flows/${flow}`} first>
      Show this flow
    </Go>
  );
}

function Verdict({ baseUrl, of }: Pick<WaysProps, 'baseUrl' | 'of'>) {
  return <Go href={`${baseUrl}/verdict?${new URLSearchParams(of)}`}>Show verdict</Go>;
}

function Go({ href, first = false, children }: { href: string; first?: boolean; children: ComponentChildren }) {
  return (
    <a class={`button button-${first ? 'primary' : 'secondary'}`} href={href}>
      {children}
    </a>
  );
}
