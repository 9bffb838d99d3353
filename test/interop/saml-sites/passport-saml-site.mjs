// An Express application with passport-saml as in its readme, with its defaults except for addresses, keys and names. Its
// argument is the identity provider and the keys, as JSON. It prints its address and its metadata.
import { Strategy } from '@node-saml/passport-saml';
import express from 'express';
import session from 'express-session';
import passport from 'passport';

const { idpUrl, idpCert, privateKey, publicCert } = JSON.parse(process.argv[2] ?? '{}');
const application = express();
const server = application.listen(0, '127.0.0.1', () => {
  const base = `http://127.0.0.1:${server.address().port}`;
  /** The logged-in users, by the name in the assertion. */
  const people = new Map();
  const strategy = new Strategy(
    {
      callbackUrl: `${base}/acs`,
      entryPoint: `${idpUrl}/saml/sso`,
      logoutUrl: `${idpUrl}/saml/slo`,
      logoutCallbackUrl: `${base}/slo`,
      issuer: `${base}/metadata`,
      decryptionPvk: privateKey,
      ...{ idpCert, privateKey, publicCert },
    },
    (profile, done) => {
      people.set(profile.nameID, profile);
      done(null, profile);
    },
    ({ nameID }, done) => done(null, people.get(nameID)),
  );
  passport.use(strategy);
  passport.serializeUser(({ nameID }, done) => done(null, nameID));
  passport.deserializeUser((nameID, done) => done(null, people.get(nameID) ?? false));

  application.use(express.urlencoded({ extended: false }));
  // Cookies ignore ports, so this one needs its own name.
  application.use(session({ name: 'passport-saml', secret: 'of this test', resave: false, saveUninitialized: false }));
  application.use(passport.session());
  const authenticate = passport.authenticate('saml');
  application.get('/protected/', (request, response, next) => {
    response.set('Cache-Control', 'no-store');
    if (!request.isAuthenticated()) authenticate(request, response, next);
    else response.json({ name_id: request.user.nameID, attributes: request.user.attributes });
  });
  application.post('/acs', authenticate, (_request, response) => response.redirect('/protected/'));
  application.get('/logout', passport.authenticate('saml', { samlFallback: 'logout-request' }));
  application.all('/slo', authenticate, (request, response, next) => {
    request.logout((error) => (error ? next(error) : response.send('logged out')));
  });
  const metadata = strategy.generateServiceProviderMetadata(publicCert, publicCert);
  process.stdout.write(`${JSON.stringify({ base, metadata })}\n`);
});
