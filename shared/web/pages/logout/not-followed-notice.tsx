// Explains why the server does not follow an address that an application sent with a logout. Otherwise a client under
// test would stop here without a reason. The page and the audit use the same words.

export interface NotFollowed {
  /** The post_logout_redirect_uri, as text only. */
  readonly address?: string | undefined;
  /** undefined: no address was sent, or it is followed. */
  readonly reason?: string | undefined;
}

export function notFollowedSentence(reason: string): string {
  return `No redirect to the post_logout_redirect_uri: ${reason}.`;
}

export function NotFollowedNotice({ address, reason }: NotFollowed) {
  return reason === undefined ? null : (
    <div class="notice notice-warning">
      <p>{notFollowedSentence(reason)}</p>
      <p class="soft small clamp">
        <bdi>{address}</bdi>
      </p>
    </div>
  );
}
