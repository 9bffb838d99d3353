// The foot of every page that people meet on their way through a login: what this is, so that nobody takes it for real.
export function LoginFooter() {
  return <footer class="login-footer">A test identity provider. No account here is real.</footer>;
}
