import { expect } from 'chai';
import fc from 'fast-check';
import type { AllowRule } from '../../../../adapters/egress/port.ts';
import { checkUrl } from '../../../../adapters/egress/url-guard.ts';

const LOCAL: AllowRule = { kind: 'allow', origin: 'http://127.0.0.1:9000' };
const rules = { ports: new Set([443, 8443]), exceptions: new Map([[LOCAL.origin, LOCAL]]) };

const REFUSED: readonly (readonly [why: string, url: string, code: string])[] = [
  ['no URL', 'api.example.com/x', 'egress-denied-url'],
  ['an empty text', '', 'egress-denied-url'],
  ['no host', 'https://', 'egress-denied-url'],
  ['plain http', 'http://api.example.com/', 'egress-denied-scheme'],
  ['another scheme', 'ftp://api.example.com/', 'egress-denied-scheme'],
  ['a file', 'file:///etc/passwd', 'egress-denied-scheme'],
  ['data', 'data:text/plain,x', 'egress-denied-scheme'],
  ['a user name', 'https://user@api.example.com/', 'egress-denied-url'],
  ['a password', 'https://:pass@api.example.com/', 'egress-denied-url'],
  ['a host dressed as a user name', 'https://api.example.com@evil.org/', 'egress-denied-url'],
  ['a fragment', 'https://api.example.com/#x', 'egress-denied-url'],
  ['an empty fragment', 'https://api.example.com/#', 'egress-denied-url'],
  ['a port off the list', 'https://api.example.com:8080/', 'egress-denied-port'],
  ['a trailing dot', 'https://api.example.com./', 'egress-denied-url'],
  ['an empty label', 'https://api..example.com/', 'egress-denied-url'],
  ['an asterisk in the host', 'https://*.example.com/', 'egress-denied-url'],
  ['a label above 63', `https://${'a'.repeat(64)}.example/`, 'egress-denied-url'],
  ['a host above 253', `https://${'a.'.repeat(127)}example/`, 'egress-denied-url'],
  ['127.0.0.1', 'https://127.0.0.1/', 'egress-denied-literal'],
  ['a decimal address', 'https://2130706433/', 'egress-denied-literal'],
  ['a hex address', 'https://0x7f.1/', 'egress-denied-literal'],
  ['an octal address', 'https://0177.0.0.1/', 'egress-denied-literal'],
  ['a short address', 'https://127.1/', 'egress-denied-literal'],
  ['an address with a dot behind', 'https://127.0.0.1./', 'egress-denied-literal'],
  ['an escaped address', 'https://%31%32%37.0.0.1/', 'egress-denied-literal'],
  ['a full-width address', 'https://１２７.0.0.1/', 'egress-denied-literal'],
  ['IPv6 loopback', 'https://[::1]/', 'egress-denied-literal'],
  ['a mapped address', 'https://[::ffff:127.0.0.1]/', 'egress-denied-literal'],
  ['0.0.0.0', 'https://0.0.0.0/', 'egress-denied-literal'],
  ['the unspecified IPv6 address', 'https://[::]/', 'egress-denied-literal'],
  ['a public address', 'https://8.8.8.8/', 'egress-denied-literal'],
  ['another port of an exception', 'http://127.0.0.1:9001/', 'egress-denied-scheme'],
  ['another scheme of an exception', 'https://127.0.0.1:9000/', 'egress-denied-literal'],
  ['a user name at an exception', 'http://user@127.0.0.1:9000/', 'egress-denied-url'],
];

const TAKEN: readonly (readonly [why: string, url: string, href: string])[] = [
  ['a plain https URL', 'https://api.example.com/v1?x=1', 'https://api.example.com/v1?x=1'],
  ['a port of the list', 'https://api.example.com:8443/', 'https://api.example.com:8443/'],
  ['upper case, in the parsed form', 'HTTPS://API.Example.COM/A', 'https://api.example.com/A'],
  ['a U-label, as A-label', 'https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['a backslash, as the slash that it is', 'https://api.example.com\\x', 'https://api.example.com/x'],
  ['dot segments, resolved', 'https://api.example.com/a/%2e%2e/b', 'https://api.example.com/b'],
  ['an exception', 'http://127.0.0.1:9000/x', 'http://127.0.0.1:9000/x'],
  ['another spelling of an exception', 'http://2130706433:9000/x', 'http://127.0.0.1:9000/x'],
];

describe('checkUrl', () => {
  for (const [why, url, code] of REFUSED) {
    it(`refuses ${why} with ${code}`, () => {
      expect(checkUrl(url, rules)).to.deep.equal({ ok: false, code });
    });
  }

  for (const [why, url, href] of TAKEN) {
    it(`takes ${why}`, () => {
      const checked = checkUrl(url, rules);
      expect(checked.ok && checked.url.href).to.equal(href);
    });
  }

  it('says which exception lets a URL pass, and none for the others', () => {
    const exception = checkUrl('http://127.0.0.1:9000/', rules);
    const ordinary = checkUrl('https://api.example.com/', rules);
    expect(exception.ok && exception.exception).to.equal(LOCAL);
    expect(ordinary.ok && ordinary.exception).to.equal(undefined);
  });

  it('takes nothing but https to a host name without user info and fragment, whatever the text', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.string().map((tail) => `https://${tail}`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const checked = checkUrl(text, rules);
        if (!checked.ok || checked.exception !== undefined) return;
        expect(checked.url.href).to.match(/^https:\/\/[a-z0-9_.-]+(?::8443)?\/[^#]*$/);
      }),
    );
  });
});
