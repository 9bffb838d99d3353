// The end of a logout without a waiting service provider: which applications were notified, and which were not
// (SLO-21).

import { notStored, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveServiceProvider } from '#shared/engine/identities/effective-identities.ts';
import type { SamlLogout } from '#shared/model/domain/saml-logout.ts';
import { OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { NotFollowedNotice } from '#shared/web/pages/logout/not-followed-notice.tsx';
import { renderMessagePage } from '#shared/web/pages/message-page.tsx';
import { page } from '#shared/web/pages/page-reply.ts';

const words = {
  told: 'logged out',
  failed: 'did not confirm the logout',
  framed: 'notified in this browser',
} as const;

interface Concerned {
  readonly id: string;
  readonly name: string;
  readonly outcome: keyof typeof words;
}

export async function logoutOutcomePage(logout: SamlLogout | undefined, context: ProtocolContext): Promise<Reply> {
  const { path } = context;
  const concerned = logout === undefined ? [] : await everybodyIn(logout, context);
  const isWhole = concerned.every(({ outcome }) => outcome !== 'failed');
  const text = renderMessagePage({
    path,
    title: 'You are logged out',
    message: isWhole
      ? 'Your session has ended. You can close this page.'
      : 'Your session has ended. You may still be logged in to applications that did not confirm it.',
    done: isWhole,
    children: (
      <>
        <NotFollowedNotice {...logout?.unfollowed} />
        {concerned.length > 0 && (
          <ul class="outcomes">
            {concerned.map(({ id, name, outcome }) => (
              <li key={id}>
                <span class="clamp">
                  <bdi>{name}</bdi>:
                </span>{' '}
                <strong>{words[outcome]}</strong>
              </li>
            ))}
          </ul>
        )}
        <OwnLink href="/">To the dashboard</OwnLink>
      </>
    ),
  });
  return notStored(page(200, text));
}

/** Service providers by their titles, then OpenID Connect clients. */
async function everybodyIn(
  { steps, clients = [] }: SamlLogout,
  { snapshot, store }: ProtocolContext,
): Promise<readonly Concerned[]> {
  const serviceProviders = steps.map(async ({ entity_id, outcome }): Promise<Concerned> => {
    const found = await findEffectiveServiceProvider(snapshot, store, entity_id);
    const name = found?.serviceProvider.title ?? entity_id;
    return { id: entity_id, name, outcome: outcome === 'told' ? 'told' : 'failed' };
  });
  return [
    ...(await Promise.all(serviceProviders)),
    ...clients.map(({ client_id, outcome }): Concerned => ({ id: client_id, name: client_id, outcome })),
  ];
}
