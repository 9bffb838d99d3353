// mod_auth_openidc, a certified relying party that is not written in JavaScript, is told of logouts by both channels, and asks
// for one itself: each time the application's own session is what has to end.
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { type Apache, startApache } from '#test/support/apache.ts';
import { launchChromium } from '#test/support/chromium.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

describe('mod_auth_openidc of Debian, logged out', function () {
  let browser: Browser;
  let idp: RunningIdp;
  let apache: Apache;
  before(async function () {
    browser = await launchChromium(this);
    idp = await startIdp({ world: interactive, settings: { login: { session: 'on' } } });
    apache = await startApache(this, {
      module: 'auth_openidc',
      debianPackage: 'libapache2-mod-auth-openidc',
      configure: async ({ baseUrl }) => {
        const redirectUri = `${baseUrl}/protected/callback`;
        const sites = [
          { client_id: 'told', backchannel_logout_uri: `${redirectUri}?logout=backchannel` },
          {
            ...{ client_id: 'framed', frontchannel_logout_session_required: true },
            frontchannel_logout_uri: `${redirectUri}?logout=get`,
          },
        ];
        void sites;
        return [
          `OIDCProviderMetadataURL ${idp.baseUrl}/.well-known/openid-configuration`,
        ].join('\n');
      },
    });
  });
});
