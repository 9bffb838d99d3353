// test-idp as a container of a test: `const idp = await new TestIdpContainer('test-idp:3').start()`, then `idp.issuer`,
// `await idp.token({ user: 'admin' })`, and `await idp.stop()`. Needs the package testcontainers.
import { AbstractStartedContainer, GenericContainer, Wait } from 'testcontainers';

const port = 8000;

export class TestIdpContainer extends GenericContainer {
  constructor(image) {
    super(image);
    this.withExposedPorts(port).withWaitStrategy(Wait.forHealthCheck());
  }

  async start() {
    return new StartedTestIdpContainer(await super.start());
  }
}

class StartedTestIdpContainer extends AbstractStartedContainer {
  /** The base address, and the issuer of whoever asks there. */
  get issuer() {
    return `http://${this.getHost()}:${this.getMappedPort(port)}`;
  }

  get discoveryUrl() {
    return `${this.issuer}/.well-known/openid-configuration`;
  }

  /** The token response for a user, or without one for the client by its credentials. */
  async token({ user, client = 'demo-client', secret = 'demo-secret', scope } = {}) {
    return user === undefined
      ? await this.#post(
          '/token',
          new URLSearchParams({ grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) }),
          { Authorization: `Basic ${btoa(`${client}:${secret}`)}` },
        )
      : await this.#post(`/api/users/${encodeURIComponent(user)}/token`, JSON.stringify({ scope }), {
          'Content-Type': 'application/json',
        });
  }

  async #post(path, body, headers) {
    const answer = await fetch(this.issuer + path, { method: 'POST', body, headers });
    const said = await answer.json();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status} ${said.error}`);
    return said;
  }
}
