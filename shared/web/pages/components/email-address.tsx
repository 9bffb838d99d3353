// An e-mail address: local part, `@` and host in this order in any script. A long address is broken before the host.
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
