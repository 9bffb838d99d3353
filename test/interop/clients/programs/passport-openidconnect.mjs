import express from 'express';
import session from 'express-session';
import passport from 'passport';
import OpenIDConnectStrategy from 'passport-openidconnect';
import { clientId, clientSecret, cookieSecret, greet, issuer, said, serve } from './application.mjs';

await serve('/login', (base) => {
  passport.use(
    new OpenIDConnectStrategy(
      {
        issuer,
        authorizationURL: `${issuer}/authorize`,
        tokenURL: `${issuer}/token`,
        userInfoURL: `${issuer}/userinfo`,
        clientID: clientId,
        clientSecret,
        callbackURL: `${base}/callback`,
        ...said,
      },
      (_issuer, profile, done) => done(null, profile),
    ),
  );
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user, done) => done(null, user));
  const application = express();
  application.use(session({ secret: cookieSecret, resave: false, saveUninitialized: false }));
  application.use(passport.session());
  application.get('/login', passport.authenticate('openidconnect'));
  application.get('/callback', passport.authenticate('openidconnect', { successRedirect: '/' }));
  application.get('/', (request, response) => {
    const { displayName: name, emails } = request.user ?? {};
    greet(response, { name, email: emails?.[0]?.value });
  });
  return application;
});
