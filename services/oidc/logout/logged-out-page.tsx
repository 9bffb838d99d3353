// The end of a logout that leads nowhere (OUT-03, OUT-09): what happened, and why an address that the application sent along
// is not followed, since otherwise a client under test would just stop here.

import { OwnLink } from '#shared/pages/components/own-link.tsx';
import { type MessagePageProps, renderMessagePage } from '#shared/pages/message-page.tsx';

export interface LoggedOutPageProps extends Pick<MessagePageProps, 'path'> {
  /** The post_logout_redirect_uri that is not followed, as text only. */
  readonly address?: string | undefined;
  readonly reason?: string | undefined;
}

export function renderLoggedOutPage({ address, reason, path }: LoggedOutPageProps): string {
  return renderMessagePage({
    path,
    title: 'You are logged out',
    message: 'Your session here has ended. You can close this page.',
    done: true,
    children: (
      <>
        <NotFollowedNotice address={address} reason={reason} />
        <OwnLink href="/">To the dashboard</OwnLink>
      </>
    ),
  });
}

export function NotFollowedNotice({ address, reason }: Pick<LoggedOutPageProps, 'address' | 'reason'>) {
  return reason === undefined ? null : (
    <div class="notice notice-warning">
      <p>The post_logout_redirect_uri is not followed: {reason}.</p>
      <p class="soft small clamp">
        <bdi>{address}</bdi>
      </p>
    </div>
  );
}
