import { expect } from 'chai';
import { CookieJar } from '#cli/exam/cookie-jar.ts';
import { readHtml } from '#cli/exam/html-page.ts';
import { verifies } from '#test/support/verifies.ts';

const base = new URL('https://app.example/a/page?x=1');

describe('a page of an application', () => {
  verifies('EXM-17', 'is submitted automatically if its script submits its form, however the script is written', () => {
    const pages = [
      `<body onload="document.forms[0].submit()"><form method="post" action="/acs"><input type=hidden name=a value='1'></form>`,
      `<form METHOD=POST action=/acs><input name="a" value="1" type="hidden"/></form><script>document.forms[0].submit()</script>`,
      `<form method="post" action="/acs" data-auto-submit><input type="hidden" name="a" value="1"><button>Go on</button></form>`,
    ];
    for (const page of pages) {
      const form = readHtml(page, base).sendsItself;
      expect([form?.action.href, form?.method, form?.fields], page).to.deep.equal([
        'https://app.example/acs',
        'post',
        [['a', '1']],
      ]);
    }
    const saml =
      '<form method="post" action="https://sp.example/acs"><input type="hidden" name="SAMLResponse" value="PA=="></form>';
    expect(readHtml(saml, base).sendsItself?.fields).to.deep.equal([['SAMLResponse', 'PA==']]);
    expect(
      readHtml('<form method="post"><input name="user"></form><script>f.submit()</script>', base).sendsItself,
    ).to.equal(undefined);
    const login =
      '<form method="post"><input type="hidden" name="SAMLRequest" value="PA=="><input name="username"></form>';
    expect(readHtml(login, base).sendsItself).to.equal(undefined);
    expect(readHtml('<!-- <form><input type=hidden name=SAMLResponse></form> -->', base).sendsItself).to.equal(
      undefined,
    );
  });

  verifies('EXM-17', 'is not submitted if a user has to press the button of its form', () => {
    const script = '<script>document.querySelector("#menu").click(); search.submit()</script>';
    const token = '<input type="hidden" name="csrf" value="1">';
    for (const button of ['<button>Log out</button>', '<input type="submit" value="Log out">']) {
      const page = `<form method="post" action="/logout">${token}${button}</form>${script}`;
      expect(readHtml(page, base).sendsItself, page).to.equal(undefined);
    }
    const others = [
      `<form method="post" action="/cb"><input type="hidden" name="code" value="1"><button>Go on</button></form>${script}`,
      `<form method="post" action="/cb">${token}<noscript><button>Go on</button></noscript></form>${script}`,
      `<body onload="document.forms[0].submit()"><form method="post" action="/cb">${token}<button>Go on</button></form>`,
      `<form method="post" action="/logout">${token}<button>Log out</button></form>
       <form method="post" action="/cb"><input type="hidden" name="id_token" value="1"></form>${script}`,
    ];
    for (const page of others) expect(readHtml(page, base).sendsItself?.action.pathname, page).to.equal('/cb');
  });

  it('is read without markup, scripts and styles', () => {
    const page = readHtml('<style>p{}</style><p>Hello&nbsp;<b>alice &amp; bob</b></p><script>var bob2</script>', base);
    expect(page.text).to.equal('Hello alice & bob');
    expect(page.hasScript).to.equal(true);
  });

  it('redirects with a meta element only if the delay is zero', () => {
    const leads = (content: string) =>
      readHtml(`<meta http-equiv="refresh" content="${content}">`, base).refreshesTo?.href;
    expect(leads('0; url=/next')).to.equal('https://app.example/next');
    expect(leads("0;URL='next'")).to.equal('https://app.example/a/next');
    expect(leads('30; url=/next')).to.equal(undefined);
  });
});

describe('the cookies of a login', () => {
  const now = Date.UTC(2026, 0, 1);
  const sent = (jar: CookieJar, address: string) =>
    jar.for(new URL(address)).map(({ name, value }) => `${name}=${value}`);

  verifies('EXM-17', 'are sent according to host and path', () => {
    const jar = new CookieJar();
    jar.keep(new URL('https://app.example/a/b'), 'here=1', now);
    jar.keep(new URL('https://app.example/a/b'), 'everywhere=2; Path=/; Secure', now);
    jar.keep(new URL('https://app.example/'), 'below=3; Domain=.example', now);
    jar.keep(new URL('https://app.example/'), 'foreign=4; Domain=other.example', now);
    expect(sent(jar, 'https://app.example/a/c')).to.deep.equal(['here=1', 'everywhere=2', 'below=3']);
    expect(sent(jar, 'http://app.example/ab')).to.deep.equal(['below=3']);
    expect(sent(jar, 'https://www.app.example/a/b')).to.deep.equal(['below=3']);
  });

  it('can be deleted by the server', () => {
    const jar = new CookieJar();
    const url = new URL('http://localhost:3000/');
    jar.keep(url, 'session=1; Path=/; Secure', now);
    expect(sent(jar, 'http://localhost:3000/x')).to.deep.equal(['session=1']);
    jar.keep(url, 'session=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT', now);
    expect(sent(jar, 'http://localhost:3000/x')).to.deep.equal([]);
    jar.keep(url, 'session=2; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT', now);
    expect(sent(jar, 'http://localhost:3000/x')).to.deep.equal(['session=2']);
  });
});
