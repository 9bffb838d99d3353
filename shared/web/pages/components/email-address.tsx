// An e-mail address: local part, `@` and host in this order whatever script they are written in, and broken before the
// host where it is too long for its place.
export function EmailAddress({ address }: { readonly address: string }) {
  const at = Math.max(address.lastIndexOf('@'), 0);
  return (
    <span dir="ltr" class="email clamp">
      <bdi>{address.slice(0, at)}</bdi>
      <wbr />
      {address.slice(at, at + 1)}
      <bdi>{address.slice(at + 1)}</bdi>
    </span>
  );
}
