// Why an address that an application sent along to a logout is not followed: else a client under test would just stop there.

export interface NotFollowed {
  /** The post_logout_redirect_uri, as text only. */
  readonly address?: string | undefined;
  /** undefined: none was sent, or it is followed. */
  readonly reason?: string | undefined;
}

export function NotFollowedNotice({ address, reason }: NotFollowed) {
  return reason === undefined ? null : (
    <div class="notice notice-warning">
      <p>The post_logout_redirect_uri is not followed: {reason}.</p>
      <p class="soft small clamp">
        <bdi>{address}</bdi>
      </p>
    </div>
  );
}
