import { expect } from 'chai';
import fc from 'fast-check';
import { hostAllowed } from '../../../../core/egress/host-binding.ts';

const ROWS: readonly (readonly [why: string, host: string, patterns: readonly string[], allowed: boolean])[] = [
  ['the exact host', 'api.example.com', ['api.example.com'], true],
  ['another host of the domain', 'www.example.com', ['api.example.com'], false],
  ['a host that ends with the exact one', 'evil-api.example.com', ['api.example.com'], false],
  ['the second of two patterns', 'b.example', ['a.example', 'b.example'], true],
  ['no pattern', 'api.example.com', [], false],
  ['a label below a suffix', 'api.example.com', ['*.example.com'], true],
  ['two labels below a suffix', 'a.b.example.com', ['*.example.com'], true],
  ['the suffix itself', 'example.com', ['*.example.com'], false],
  ['a host that only ends like the suffix', 'evilexample.com', ['*.example.com'], false],
  ['the suffix in front', 'example.com.evil.org', ['*.example.com'], false],
  ['an empty label below a suffix', '.example.com', ['*.example.com'], false],
  ['any host by *', 'api.example.com', ['*'], true],
  ['no host by *', '', ['*'], false],
  ['a text that is no host by *', 'a b', ['*'], false],
  ['upper case in the host', 'API.Example.COM', ['api.example.com'], true],
  ['upper case in the pattern', 'api.example.com', ['*.EXAMPLE.com'], true],
  ['a trailing dot in the host', 'api.example.com.', ['api.example.com'], true],
  ['a trailing dot in the pattern', 'api.example.com', ['api.example.com.'], true],
  ['a trailing dot in a suffix', 'api.example.com', ['*.example.com.'], true],
  ['two trailing dots', 'api.example.com..', ['api.example.com'], false],
  ['a U-label in the pattern', 'api.xn--bcher-kva.example', ['api.bücher.example'], true],
  ['a U-label in a suffix', 'api.xn--bcher-kva.example', ['*.BÜCHER.example'], true],
  ['a U-label in the host', 'bücher.example', ['xn--bcher-kva.example'], true],
  ['a look-alike of another script', 'аpple.example', ['apple.example'], false],
  ['a port in the pattern', 'api.example.com', ['api.example.com:443'], false],
  ['a port in the host', 'api.example.com:8443', ['api.example.com'], false],
  ['a scheme in the pattern', 'api.example.com', ['https://api.example.com'], false],
  ['user info in the host', 'api.example.com@evil.org', ['api.example.com', '*.evil.org'], false],
  ['an escape in the host', 'api%2eexample.com', ['api.example.com'], false],
  ['an asterisk in the middle', 'a.b.example.com', ['a.*.example.com'], false],
  ['an asterisk without a dot', 'evilexample.com', ['*example.com'], false],
  ['two asterisks', 'a.b.example.com', ['*.*.example.com'], false],
  ['*. alone', 'example', ['*.'], false],
  ['an empty pattern', 'example', [''], false],
  ['an exact address', '127.0.0.1', ['127.0.0.1'], true],
  ['an address below a suffix', '127.0.0.1', ['*.0.1'], false],
  ['another spelling of an address', '127.1', ['127.0.0.1'], false],
  ['an exact IPv6 address', '[::1]', ['[::1]'], true],
  ['another IPv6 address', '[::2]', ['[::1]'], false],
  ['a name of Object.prototype', 'constructor', ['__proto__'], false],
];

const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);
const host = fc.array(label, { minLength: 2, maxLength: 5 }).map((labels) => labels.join('.'));

describe('hostAllowed', () => {
  for (const [why, name, patterns, allowed] of ROWS) {
    it(`${allowed ? 'takes' : 'refuses'} ${why}`, () => {
      expect(hostAllowed(name, patterns)).to.equal(allowed);
    });
  }

  it('never takes a host whose labels do not end with those of the suffix', () => {
    fc.assert(
      fc.property(host, host, (name, suffix) => {
        const below = name.split('.').slice(-suffix.split('.').length).join('.') === suffix && name !== suffix;
        expect(hostAllowed(name, [`*.${suffix}`])).to.equal(below);
      }),
    );
  });

  it('takes what is glued in front of a suffix only behind a dot', () => {
    fc.assert(
      fc.property(label, host, (front, suffix) => {
        expect(hostAllowed(`${front}.${suffix}`, [`*.${suffix}`])).to.equal(true);
        expect(hostAllowed(`${front}${suffix}`, [`*.${suffix}`])).to.equal(false);
      }),
    );
  });

  it('takes no more hosts for arbitrary text than exact equality would, and never throws', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'binary' }), (name, pattern) => {
        fc.pre(!pattern.startsWith('*'));
        expect(hostAllowed('api.example.com', [pattern])).to.equal(/^api\.example\.com\.?$/i.test(pattern));
        expect(typeof hostAllowed(name, [pattern])).to.equal('boolean');
      }),
    );
  });
});
