/** In the text of a test: what it starts is an instance, not a worker or the whole stack (test/README.md). */
export const askedOfAnInstance = /world: saml\b|command: 'instance'/g;
