// The page whose frames notify applications of a logout. It continues automatically once they have loaded (LGO-17,
// LGO-18).
import { type MessagePageProps, renderMessagePage } from '#shared/web/pages/message-page.tsx';
import { type NotFollowed, NotFollowedNotice } from './not-followed-notice.tsx';

interface FrontChannelPageProps extends Pick<MessagePageProps, 'path'>, NotFollowed {
  /** The addresses of the frames. */
  readonly frames: readonly string[];
  /** Where the browser goes afterwards. undefined: it stays on the page. */
  readonly goOn: string | undefined;
}

export function renderFrontChannelPage({ frames, goOn, address, reason, path }: FrontChannelPageProps): string {
  return renderMessagePage({
    path,
    title: 'You are logged out',
    message:
      goOn === undefined
        ? 'Your session has ended. Your applications are being notified. You can close this page in a moment.'
        : 'Your session has ended. Your applications are being notified. You will be redirected in a moment.',
    done: true,
    scripts: goOn === undefined ? [] : ['go-on.js'],
    children: (
      <>
        <NotFollowedNotice address={address} reason={reason} />
        {goOn !== undefined && (
          <a class="button button-primary button-wide" href={goOn} data-go-on>
            Continue
          </a>
        )}
        {frames.map((frame) => (
          <iframe key={frame} src={frame} title={`Logout at ${new URL(frame).host}`} tabIndex={-1} hidden />
        ))}
      </>
    ),
  });
}
