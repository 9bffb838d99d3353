// What logins add: the lines of a security print behind the card, badges to choose from, a client's header and layout.
import { guilloche } from './guilloche.ts';

export const loginStyle = `
.login-ground {
  background-color: var(--ground);
  background-image: url("${guilloche}");
  background-repeat: repeat-x;
  background-position: center top;
}
.page-narrow.login-ground .main { flex: 1; justify-content: center; padding-bottom: min(14vh, 6.5rem); }
.page-narrow.login-ground .plain-header { padding-top: var(--space-5); }

.client-words { padding: var(--space-5) var(--space-4); text-align: center; display: flex; flex-direction: column; align-items: center; gap: var(--space-2); }
.client-logo { max-height: 3.5rem; max-width: 14rem; width: auto; }
.client-name { font-size: var(--text-large); font-weight: 620; }
.client-description { max-width: 34rem; }
.login-footer { margin-top: auto; text-wrap: balance; padding: var(--space-4); text-align: center; font-size: var(--text-small); color: var(--ink-faint); }

@media (min-width: 56rem) {
  .layout-horizontal { display: grid; grid-template: 1fr auto / minmax(18rem, 2fr) 3fr; }
  .layout-horizontal .client-header { grid-row: 1 / -1; border-inline-end: 1px solid var(--line); }
  .layout-horizontal .client-words {
    position: sticky; top: 0; height: 100vh; height: 100dvh; justify-content: center;
    text-align: start; align-items: flex-start; gap: var(--space-3); padding: var(--space-7);
  }
  .layout-horizontal .client-name { font-size: var(--text-display); line-height: 1.2; letter-spacing: -0.018em; }
  .layout-horizontal .client-description { font-size: var(--text-large); }
  .layout-horizontal .main { align-self: center; }
}

/* badges */
.page-narrow.login-wide .main { max-width: 60rem; }
.login-wide .field-code, .login-wide .form > .button, .login-wide .notice { max-width: 24rem; }
.form > .row > .button { flex: 1 1 auto; width: auto; max-width: 11.75rem; min-height: 2.375rem; }
.personas { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 16.5rem), 1fr)); gap: var(--space-3); }
.personas li { display: grid; min-width: 0; }
.persona-search { display: flex; flex-wrap: wrap; align-items: flex-end; gap: var(--space-2) var(--space-3); }
.persona-search .field { flex: 1 1 9rem; max-width: 24rem; }
.persona {
  position: relative; display: flex; align-items: center; gap: var(--space-4); width: 100%; text-align: start;
  padding: var(--space-4); padding-inline-start: var(--space-4);
  border: 1px solid var(--line-control); border-radius: var(--radius-large);
  background: var(--surface); color: var(--ink); font: inherit; line-height: 1.4; cursor: pointer;
}
.persona:hover { border-color: var(--accent); box-shadow: var(--shadow); transform: translateY(-1px); }
.persona:active { transform: none; }
.persona:focus-visible { border-radius: var(--radius-large); }
.persona-suggested { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.persona-text { display: flex; flex-direction: column; min-width: 0; }
.persona-name { font-weight: 620; }
.persona-hint { color: var(--accent); font-size: var(--text-small); font-weight: 560; }
.persona-description { color: var(--ink-soft); }
.persona-roles { color: var(--ink-faint); font-size: var(--text-small); }
.monogram {
  flex: none; display: inline-grid; place-items: center; width: 2.75rem; height: 3.25rem; border-radius: var(--radius);
  font-weight: 650; letter-spacing: 0.02em; background: var(--hue-wash); color: var(--hue-ink); border-top: 0.3125rem solid var(--hue-ink);
}
.monogram-small { width: 2rem; height: 2.25rem; font-size: var(--text-small); border-top-width: 0.25rem; border-radius: 0.3rem; }
.hue-0 { --hue-wash: light-dark(#dff0ea, #12332b); --hue-ink: light-dark(#0b6152, #79d8c2); }
.hue-1 { --hue-wash: light-dark(#e3ecf9, #182a45); --hue-ink: light-dark(#244f8f, #9dbff2); }
.hue-2 { --hue-wash: light-dark(#f8e7e0, #3d2115); --hue-ink: light-dark(#8f3f1d, #f0ae90); }
.hue-3 { --hue-wash: light-dark(#ece8f8, #292145); --hue-ink: light-dark(#513c9b, #bfb0f2); }
.hue-4 { --hue-wash: light-dark(#f9efcf, #352a0c); --hue-ink: light-dark(#6d5000, #e6c668); }
.hue-5 { --hue-wash: light-dark(#f8e4ee, #3b1a2b); --hue-ink: light-dark(#8c2a5c, #f0a5c9); }
.hue-6 { --hue-wash: light-dark(#e4f0d9, #22330f); --hue-ink: light-dark(#40601a, #b3d685); }
.hue-7 { --hue-wash: light-dark(#dcf0f4, #0f323a); --hue-ink: light-dark(#115c6b, #86d4e3); }

.quick { display: flex; flex-direction: column; gap: var(--space-2); border-top: 1px solid var(--line); padding-top: var(--space-4); }
.quick-names { display: flex; flex-wrap: wrap; gap: var(--space-2); min-width: 0; }
.quick-names li { min-width: 0; max-width: 100%; }
.quick-name {
  padding: var(--space-1) var(--space-3); border-radius: 2rem; border: 1px solid var(--line-control); background: var(--surface);
  color: var(--ink); font: inherit; font-size: var(--text-small); cursor: pointer; max-width: 100%;
}
.quick-name bdi { display: inline-block; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; }
.quick-name:hover { border-color: var(--accent); color: var(--accent); }
.message { align-items: flex-start; }
.message .code { font-family: var(--font-code); letter-spacing: 0.08em; }
form[data-sent] .button, form[data-sent] .persona { cursor: progress; }
.message-status { font: 560 var(--text-small)/1 var(--font-code); color: var(--bad); border: 1px solid currentColor; border-radius: 0.25rem; padding: 0.25rem 0.375rem; }
.message-text { color: var(--ink-soft); font-size: var(--text-large); }
.message-mark { display: grid; place-items: center; width: 2.75rem; height: 2.75rem; border-radius: 50%; background: var(--good-wash); color: var(--good); }
.message-mark .icon { width: 1.5rem; height: 1.5rem; stroke-width: 2; }
`;
