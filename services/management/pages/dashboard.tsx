// /: this server's identity, the number of its objects, its recent requests (WEB-01), and the addresses that people
// copy.

import { isLoopback } from '#shared/base/loopback.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import {
  type EffectiveNames,
  effectiveClientNames,
  effectiveUserNames,
} from '#shared/engine/identities/effective-identities.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import { Card } from '#shared/web/pages/components/card.tsx';
import { CopyButton } from '#shared/web/pages/components/copy-button.tsx';
import { EmptyState } from '#shared/web/pages/components/empty-state.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { Tag } from '#shared/web/pages/components/tag.tsx';
import { clientsOfRefusals } from './audit/clients-of-refusals.ts';
import { EventList } from './audit/event-list.tsx';
import { countText } from './count-text.ts';
import { managementPage } from './shell.tsx';

const recentEvents = 5;

export async function dashboardPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { snapshot, store, audit, clock, issuer, baseUrl, demoUrl, clientAddress } = context;
  const [users, clients, counters, entries] = await Promise.all([
    effectiveUserNames(snapshot, store),
    effectiveClientNames(snapshot, store, clock.now()),
    audit.counters(),
    audit.read({ limit: recentEvents, withRequests: true }),
  ]);
  const refused = await clientsOfRefusals(entries, context);
  const { settings } = snapshot;
  const { entity_id, sso_url } = effectiveSamlAddresses(settings.saml, context);
  return managementPage(request, context, {
    title: 'Dashboard',
    heading: 'This identity provider',
    section: '/',
    lead: (
      <>
        <Tag kind="accent">{settings.security_profile}</Tag> <Tag>{settings.login.mode} login</Tag>{' '}
        <Tag>{settings.runtime.store} store</Tag>
      </>
    ),
    children: (
      <>
        <div class="figures">
          <Figure href="/users" label="Users" count={countOf(users)} parts={originParts(users)} />
          <Figure href="/clients" label="Clients" count={countOf(clients)} parts={originParts(clients)} />
          <Figure
            href="/audit"
            label="Requests"
            count={counters.total_requests}
            parts={[
              ['at /token', counters.token_requests, counters.refused_token_requests],
              ['at /saml/sso', counters.saml_sso_requests, counters.refused_saml_sso_requests],
              ['attribute queries', counters.saml_attribute_queries, counters.refused_saml_attribute_queries],
            ]}
          />
          <Figure
            href="/audit?event_type=login"
            label="Logins"
            count={counters.login_attempts}
            parts={[
              ['successful', counters.successful_logins],
              ['failed', counters.failed_logins],
            ]}
          />
        </div>
        {settings.login.auto_login_user !== undefined && (
          <Notice kind="info">
            Every login is <bdi>{settings.login.auto_login_user}</bdi>, without a page (login.auto_login_user).
          </Notice>
        )}
        {demoUrl !== undefined && isLoopback(clientAddress ?? '') && <Demonstration url={demoUrl} />}
        <Card title="Addresses" lead="Configure clients and service providers with these.">
          <dl class="facts">
            <Address id="issuer" name="Issuer" value={issuer} />
            <Address id="discovery" name="Discovery" value={`${baseUrl}/.well-known/openid-configuration`} link />
            <Address id="jwks" name="Key set" value={`${baseUrl}/.well-known/jwks.json`} link />
            <Address id="entity-id" name="SAML entity ID" value={entity_id} />
            <Address id="sso" name="SAML single sign-on" value={sso_url} />
            <Address id="metadata" name="SAML metadata" value={`${baseUrl}/saml/metadata`} link />
          </dl>
        </Card>
        <Card title="Latest events" actions={<OwnLink href="/audit">All events</OwnLink>}>
          {entries.length === 0 ? (
            <EmptyState title="No events yet">
              <OwnLink href="/test">Get a test token</OwnLink>, or point a client at the issuer above.
            </EmptyState>
          ) : (
            <EventList entries={[...entries].reverse()} now={clock.real()} clients={refused} />
          )}
        </Card>
      </>
    ),
  });
}

/** Runs beside this provider with `start --demo`: a login to try. Only browsers on this machine can reach it. */
function Demonstration({ url }: { readonly url: string }) {
  return (
    <Card
      title="Demonstration"
      lead="Log in to an example application, and see every request of the login."
      actions={<a href={`${url}/`}>Both applications</a>}
    >
      <div class="row">
        <a class="button button-primary" href={`${url}/openid-connect/login`}>
          Log in with OpenID Connect
        </a>
        <a class="button button-secondary" href={`${url}/saml/login`}>
          Log in with SAML
        </a>
      </div>
    </Card>
  );
}

function countOf({ declared, runtime, documents }: EffectiveNames): number {
  return declared.length + runtime.length + documents.length;
}

function originParts({ declared, runtime, documents }: EffectiveNames): readonly (readonly [string, number])[] {
  const parts = [
    ['declared', declared.length],
    ['runtime', runtime.length],
  ] as const;
  return documents.length === 0 ? parts : [...parts, ['by metadata document', documents.length]];
}

interface FigureProps {
  readonly href: string;
  readonly label: string;
  readonly count: number;
  /** Rejected ones among the count are named separately (D49). */
  readonly parts: readonly (readonly [name: string, count: number, refused?: number])[];
}

function Figure({ href, label, count, parts }: FigureProps) {
  return (
    <section class="card figure" aria-label={label}>
      <h2>
        <OwnLink href={href}>{label}</OwnLink>
      </h2>
      <p class="figure-count">{countText(count)}</p>
      <p class="soft small">
        {parts.map(([name, number, refused = 0], index) => {
          // Lines break between the parts, and never before a comma.
          const comma = index < parts.length - 1 ? ',' : '';
          return (
            <>
              <span class="unbroken">
                {countText(number)} {name}
                {refused === 0 && comma}
              </span>{' '}
              {refused > 0 && (
                <span class="unbroken">
                  ({countText(refused)} rejected){comma}
                </span>
              )}{' '}
            </>
          );
        })}
      </p>
    </section>
  );
}

function Address({ id, name, value, link = false }: { id: string; name: string; value: string; link?: boolean }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd class="row">
        <code>
          {link ? (
            <a id={id} href={value}>
              {value}
            </a>
          ) : (
            <span id={id}>{value}</span>
          )}
        </code>
        <CopyButton from={id} />
      </dd>
    </div>
  );
}
