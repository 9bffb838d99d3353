// The end of a logout that no service provider waits for: who was told, and who was not (SLO-21).
import type { SamlLogout } from '#shared/domain/saml-logout.ts';
import { notStored, type Reply } from '#shared/http/reply.ts';
import type { RequestContext } from '#shared/http/request.ts';
import { NotFollowedNotice } from '#shared/logout/not-followed-notice.tsx';
import { OwnLink } from '#shared/pages/components/own-link.tsx';
import { renderMessagePage } from '#shared/pages/message-page.tsx';
import { page } from '#shared/pages/page-reply.ts';

export function logoutOutcomePage(logout: SamlLogout | undefined, { path }: RequestContext): Reply {
  const steps = logout?.steps ?? [];
  const isWhole = steps.every(({ outcome }) => outcome === 'told');
  const text = renderMessagePage({
    path,
    title: 'You are logged out',
    message: isWhole
      ? 'Your session here has ended. You can close this page.'
      : 'Your session here has ended. Where an application did not confirm it, you may still be logged in.',
    done: isWhole,
    children: (
      <>
        <NotFollowedNotice {...logout?.unfollowed} />
        {steps.length > 0 && (
          <ul>
            {steps.map(({ entity_id, outcome }) => (
              <li key={entity_id}>
                <bdi>{entity_id}</bdi>:{' '}
                <strong>{outcome === 'told' ? 'logged out' : 'did not confirm the logout'}</strong>
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
