import { expect } from 'chai';
import type { OrbisetSpec } from '../../../../crds/orbiset.ts';
import { compileOrbiset, type OrbisetSources } from '../../../../core/orb/compile-orbiset.ts';
import type { CompiledOrbiset } from '../../../../core/orb/orbiset.ts';

type Secrets = Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>>;

function sources(spec: OrbisetSpec, secrets: Secrets = {}, extra: OrbisetSources['extra'] = []): OrbisetSources {
  const secret: OrbisetSources['secret'] = (name) => {
    const data = secrets[name];
    return data && new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value)]));
  };
  return { namespace: 'acme', name: 'support', spec, secret, extra };
}

const compile = (spec: OrbisetSpec, secrets: Secrets = {}, extra: OrbisetSources['extra'] = []) =>
  compileOrbiset(sources(spec, secrets, extra));

const vaultOf = ({ vault }: CompiledOrbiset): Record<string, string> =>
  Object.fromEntries(
    [...vault].map(([name, { value, allowedHosts }]) => [
      name,
      `${Buffer.from(value).toString()} → ${allowedHosts.join(',')}`,
    ]),
  );

const bound = (...secrets: NonNullable<NonNullable<OrbisetSpec['vault']>['secrets']>): OrbisetSpec => ({
  vault: { secrets },
});

const entry = (name: string) => ({ name, value: Buffer.from('from-elsewhere'), allowedHosts: ['b.net'] });

describe('compileOrbiset (design.md §2)', () => {
  const hosts = ['api.example.com'];
  const data = { mail: { KEY: 'key-of-the-mail', FROM: 'me@example.com' } };
  const rows: readonly [string, OrbisetSpec, Secrets, Record<string, string>][] = [
    [
      'all keys when none are named',
      bound({ name: 'mail', allowedHosts: hosts }),
      data,
      { KEY: 'key-of-the-mail → api.example.com', FROM: 'me@example.com → api.example.com' },
    ],
    [
      'the keys of a list',
      bound({ name: 'mail', allowedHosts: hosts, keys: ['KEY'] }),
      data,
      { KEY: 'key-of-the-mail → api.example.com' },
    ],
    [
      'the keys of a map under other names',
      bound({ name: 'mail', allowedHosts: hosts, keys: { SENDGRID: 'KEY' } }),
      data,
      { SENDGRID: 'key-of-the-mail → api.example.com' },
    ],
    [
      'hosts in lower case without a final dot',
      bound({ name: 'mail', allowedHosts: ['API.Example.com.', '*.B.net'], keys: ['KEY'] }),
      data,
      { KEY: 'key-of-the-mail → api.example.com,*.b.net' },
    ],
    ['no entry of a Secret that is not there', bound({ name: 'nobody', allowedHosts: hosts }), data, {}],
    [
      'no entry of a key that is not there',
      bound({ name: 'mail', allowedHosts: hosts, keys: ['KEY', 'NOBODY'] }),
      data,
      { KEY: 'key-of-the-mail → api.example.com' },
    ],
    [
      'no entry that two Secrets give',
      bound({ name: 'mail', allowedHosts: hosts }, { name: 'other', allowedHosts: hosts }),
      { ...data, other: { KEY: 'x' } },
      { FROM: 'me@example.com → api.example.com' },
    ],
    [
      'no entry that three Secrets give',
      bound(
        { name: 'mail', allowedHosts: hosts, keys: ['KEY'] },
        { name: 'mail', allowedHosts: hosts, keys: ['KEY'] },
        { name: 'mail', allowedHosts: hosts, keys: ['KEY'] },
      ),
      data,
      {},
    ],
    ['nothing without a vault', {}, data, {}],
    [
      'one final newline less',
      bound({ name: 's', allowedHosts: [] }),
      { s: { LF: 'value\n', CRLF: 'value\r\n', TWO: 'value\n\n', INNER: 'va\nlue' } },
      { LF: 'value → ', CRLF: 'value → ', TWO: 'value\n → ', INNER: 'va\nlue → ' },
    ],
  ];
  for (const [why, spec, secrets, expected] of rows) {
    it(`has ${why}`, () => expect(vaultOf(compile(spec, secrets).orbiset)).to.deep.equal(expected));
  }

  it('has no entry that is not UTF-8: it could not be sent as it is', () => {
    const { orbiset, findings } = compile(bound({ name: 's', allowedHosts: hosts }), {
      s: { BIN: Uint8Array.of(0xff, 0xfe) },
    });
    expect([vaultOf(orbiset), findings.map(({ code }) => code)]).to.deep.equal([{}, ['secret-key-missing']]);
  });

  const said: readonly [string, OrbisetSpec, Secrets, readonly string[]][] = [
    [
      'a missing Secret',
      bound({ name: 'a', allowedHosts: [] }, { name: 'b', allowedHosts: [] }),
      { a: { K: 'long enough' } },
      ['secret-not-found /spec/vault/secrets/1'],
    ],
    [
      'a missing key',
      bound({ name: 'a', allowedHosts: [], keys: ['X'] }),
      { a: {} },
      ['secret-key-missing /spec/vault/secrets/0'],
    ],
    [
      'a removed newline',
      bound({ name: 'a', allowedHosts: [] }),
      { a: { K: 'long enough\n' } },
      ['trailing-newline /spec/vault/secrets/0'],
    ],
    [
      'an entry that two give',
      bound({ name: 'a', allowedHosts: [] }, { name: 'a', allowedHosts: [] }),
      { a: { K: 'long enough' } },
      ['duplicate-entry /spec/vault/secrets/1'],
    ],
    [
      'a value too short to be found',
      bound({ name: 'a', allowedHosts: [] }),
      { a: { K: 'short' } },
      ['unscrubbable-secret /spec/vault'],
    ],
  ];
  for (const [why, spec, secrets, expected] of said) {
    it(`says ${why}, never a value`, () => {
      const { findings } = compile(spec, secrets);
      expect(findings.map(({ code, pointer }) => `${code} ${pointer}`)).to.deep.equal(expected);
      expect(JSON.stringify(findings)).to.not.match(/long enough|short"/);
    });
  }

  it('takes entries from elsewhere, but none that its document binds', () => {
    const { orbiset } = compile(bound({ name: 'mail', allowedHosts: hosts, keys: ['KEY'] }), data, [
      entry('KEY'),
      entry('MORE'),
    ]);
    expect(vaultOf(orbiset)).to.deep.equal({
      KEY: 'key-of-the-mail → api.example.com',
      MORE: 'from-elsewhere → b.net',
    });
  });

  it('lets no entry from elsewhere stand for one that two Secrets give', () => {
    const extra = [{ name: 'KEY', value: Buffer.from('from-elsewhere'), allowedHosts: ['*'] }];
    const twice = { name: 'mail', allowedHosts: hosts, keys: ['KEY'] };
    expect(vaultOf(compile(bound(twice, twice), data, extra).orbiset)).to.deep.equal({});
  });

  it('redacts every value of its vault', () => {
    const { orbiset } = compile(bound({ name: 'mail', allowedHosts: hosts }), data);
    expect(orbiset.redactor.text('a key-of-the-mail, me@example.com').value).to.equal(
      'a [redacted:KEY], [redacted:FROM]',
    );
  });

  it('has the limits that are given, and no others', () => {
    const limits = { rate_per_second: 0.5, in_flight: 2, timeout_ms: 3, request_bytes: 4 };
    const compiled = { ratePerSecond: 0.5, inFlight: 2, timeoutMs: 3, requestBytes: 4 };
    expect(compile({ limits }).orbiset.limits).to.deep.equal(compiled);
    expect(compile({}).orbiset).to.deep.include({
      limits: {},
      suspended: false,
      hasUnreadablePolicies: false,
      labels: {},
      orbs: [],
    });
    expect(compile({ suspended: true, orbs: ['a.b'] }).orbiset).to.deep.include({ suspended: true, orbs: ['a.b'] });
  });
});
