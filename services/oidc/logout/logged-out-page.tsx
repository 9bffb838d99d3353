// The page of a logout without redirect (OUT-03, OUT-09): what happened, and why an address is not followed.

import { OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { type NotFollowed, NotFollowedNotice } from '#shared/web/pages/logout/not-followed-notice.tsx';
import { type MessagePageProps, renderMessagePage } from '#shared/web/pages/message-page.tsx';

interface LoggedOutPageProps extends Pick<MessagePageProps, 'path'>, NotFollowed {}

export function renderLoggedOutPage({ address, reason, path }: LoggedOutPageProps): string {
  return renderMessagePage({
    path,
    title: 'You are logged out',
    message: 'Your session has ended. You can close this page.',
    done: true,
    children: (
      <>
        <NotFollowedNotice address={address} reason={reason} />
        <OwnLink href="/">To the dashboard</OwnLink>
      </>
    ),
  });
}
