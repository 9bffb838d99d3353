// What the door says of a relayed request on the private socket. The door removes these headers from everything that
// comes from outside; a frontend believes them only on that socket (SUP-02).

/** The peer's address as the door saw it, before forwarded headers are looked at. */
export const relayedPeerAddressHeader = 'x-test-idp-peer-address';
