import { expect } from 'chai';
import { parseAllowRules, cleartextOrigins } from '../../../../adapters/egress/allow-rules.ts';

const GOOD: readonly (readonly [
  why: string,
  allow: readonly string[],
  stub: readonly string[],
  expected: readonly object[],
])[] = [
  ['nothing', [], [], []],
  ['a plain loopback origin', ['http://127.0.0.1:9000'], [], [{ kind: 'allow', origin: 'http://127.0.0.1:9000' }]],
  [
    'an origin with a slash and upper case',
    ['https://LocalHost:8443/'],
    [],
    [{ kind: 'allow', origin: 'https://localhost:8443' }],
  ],
  ['the default port', ['https://a.example:443'], [], [{ kind: 'allow', origin: 'https://a.example' }]],
  [
    'a stub',
    [],
    ['https://api.example.com=127.0.0.1:9443'],
    [{ kind: 'stub', origin: 'https://api.example.com', address: '127.0.0.1', port: 9443 }],
  ],
  [
    'a stub on IPv6',
    [],
    ['https://api.example.com=[::1]:1'],
    [{ kind: 'stub', origin: 'https://api.example.com', address: '::1', port: 1 }],
  ],
  [
    'both, in order',
    ['http://[::1]:1'],
    ['https://b.example:444=127.0.0.1:65535'],
    [
      { kind: 'allow', origin: 'http://[::1]:1' },
      { kind: 'stub', origin: 'https://b.example:444', address: '127.0.0.1', port: 65535 },
    ],
  ],
];

const BAD: readonly (readonly [
  why: string,
  allow: readonly string[],
  stub: readonly string[],
  expected: readonly string[],
])[] = [
  ['no URL', ['localhost:9000x'], [], ['--egress-allow localhost:9000x: must begin with https:// or http://']],
  ['no scheme', ['//x'], [], ['--egress-allow //x: is no URL; write scheme://host:port']],
  [
    'a path',
    ['https://a.example/x'],
    [],
    ['--egress-allow https://a.example/x: must be an origin alone, as https://a.example'],
  ],
  [
    'a query',
    ['https://a.example?x'],
    [],
    ['--egress-allow https://a.example?x: must be an origin alone, as https://a.example'],
  ],
  ['an asterisk', ['https://*.example'], [], ['--egress-allow https://*.example: must name one host, without *']],
  [
    'a password, which it leaves out',
    ['https://u:p4ss@a.example'],
    [],
    ['--egress-allow https://…@a.example: must not hold a user name'],
  ],
  [
    'a stub without =',
    [],
    ['https://a.example'],
    ['--egress-stub https://a.example: must have the form ORIGIN=ADDRESS:PORT'],
  ],
  [
    'a stub for http',
    [],
    ['http://a.example=127.0.0.1:1'],
    ['--egress-stub http://a.example=127.0.0.1:1: must stand for an https origin'],
  ],
  [
    'a stub for an address',
    [],
    ['https://[::1]=127.0.0.1:1'],
    ['--egress-stub https://[::1]=127.0.0.1:1: must stand for a host name, not an address'],
  ],
  [
    'a stub at a name',
    [],
    ['https://a.example=localhost:1'],
    ['--egress-stub https://a.example=localhost:1: needs an IP address and a port behind =, as 127.0.0.1:9443'],
  ],
  [
    'a stub without a port',
    [],
    ['https://a.example=127.0.0.1'],
    ['--egress-stub https://a.example=127.0.0.1: needs an IP address and a port behind =, as 127.0.0.1:9443'],
  ],
  [
    'a stub at port 0',
    [],
    ['https://a.example=127.0.0.1:0'],
    ['--egress-stub https://a.example=127.0.0.1:0: needs a port from 1 to 65535 behind the address'],
  ],
  [
    'a stub at port 65536',
    [],
    ['https://a.example=127.0.0.1:65536'],
    ['--egress-stub https://a.example=127.0.0.1:65536: needs a port from 1 to 65535 behind the address'],
  ],
  [
    'one origin twice',
    ['https://a.example', 'https://A.example:443'],
    [],
    ['--egress-allow https://A.example:443: https://a.example is there already'],
  ],
  [
    'two errors at once',
    ['x'],
    ['y'],
    [
      '--egress-allow x: is no URL; write scheme://host:port',
      '--egress-stub y: must have the form ORIGIN=ADDRESS:PORT',
    ],
  ],
];

describe('parseAllowRules', () => {
  for (const [why, allow, stub, exceptions] of GOOD) {
    it(`reads ${why}`, () => {
      expect(parseAllowRules(allow, stub)).to.deep.equal({ ok: true, exceptions });
    });
  }

  for (const [why, allow, stub, errors] of BAD) {
    it(`says what is wrong with ${why}`, () => {
      expect(parseAllowRules(allow, stub)).to.deep.equal({ ok: false, errors });
    });
  }
});

describe('cleartextOrigins', () => {
  it('holds the loopback origins of --egress-allow and no other', () => {
    const allow = [
      'http://127.0.0.1:1',
      'http://localhost:2',
      'http://[::1]:3',
      'http://10.0.0.1:4',
      'http://127.0.0.1.evil.org',
    ];
    const parsed = parseAllowRules(allow, ['https://localhost:5=127.0.0.1:5']);
    const origins = parsed.ok ? [...cleartextOrigins(parsed.exceptions)] : [];
    expect(origins).to.deep.equal(['http://127.0.0.1:1', 'http://localhost:2', 'http://[::1]:3']);
  });
});
