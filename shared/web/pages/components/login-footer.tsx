// The footer of every page of a login. It says what this server is, so that no user mistakes it for a real one.
export function LoginFooter() {
  return <footer class="login-footer">A test identity provider. No account here is real.</footer>;
}
