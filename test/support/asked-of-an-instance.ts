/** Matches the text of a test that starts an instance, not a worker or the whole stack (test/README.md). */
export const askedOfAnInstance = /world: saml\b|command: 'instance'/g;
