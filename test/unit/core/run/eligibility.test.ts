import { expect } from 'chai';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { compileOrb } from '../../../../core/orb/compile-orb.ts';
import type { CompiledProvider } from '../../../../core/orb/compiled-orb.ts';
import type { VaultEntry } from '../../../../core/orb/orbiset.ts';
import { eligibility, selectProviders, type EligibilityContext } from '../../../../core/run/eligibility.ts';
import { orbManifest, type OrbOptions } from '../../../support/orbs.ts';
import { isJsonObject } from '../../../../core/json/json-value.ts';

const TLS = 'https://api.example.com/run';
const PLAIN = 'http://127.0.0.1:9000/run';

function providersOf(options: OrbOptions): readonly CompiledProvider[] {
  const manifest: unknown = JSON.parse(orbManifest('acme.a@1.0.0', options));
  if (!isJsonObject(manifest)) throw new TypeError('no manifest');
  const compiled = compileOrb(manifest, { namespace: 'acme', allowedOrigins: [new URL(PLAIN).origin] });
  if (!compiled.ok) throw new TypeError(JSON.stringify(compiled.findings));
  return [...compiled.value.providers.values()];
}

const main = (options: OrbOptions): CompiledProvider => {
  const [first] = providersOf(options);
  if (first === undefined) throw new TypeError('no provider');
  return first;
};

const entry = (name: string, allowedHosts: readonly string[], value = 'value-of-the-entry'): VaultEntry => ({
  name,
  allowedHosts,
  value: Buffer.from(value),
});

const context = (
  vault: readonly VaultEntry[],
  inputs: JsonObject = { text: 'a' },
  plain: readonly string[] = [],
): EligibilityContext => ({
  inputs,
  vault: new Map(vault.map((one) => [one.name, one])),
  cleartextOrigins: new Set(plain),
});

/** What was decided, in one word and why. */
function brief(provider: CompiledProvider, given: EligibilityContext): string {
  const result = eligibility(provider, given);
  if (result.kind === 'eligible') return result.ready.usesSecret ? 'eligible with a secret' : 'eligible';
  return result.kind === 'input' ? `input ${result.problem.pointer}` : `${result.code} ${result.entry} ${result.host}`;
}

describe('eligibility (failover.md §12.2, security.md S1)', () => {
  const rows: readonly [string, OrbOptions, EligibilityContext, string][] = [
    ['no secret is needed', { url: TLS }, context([]), 'eligible'],
    [
      'the entry is for this host',
      { url: TLS, secret: 'T' },
      context([entry('T', ['api.example.com'])]),
      'eligible with a secret',
    ],
    [
      'the entry is for hosts below',
      { url: TLS, secret: 'T' },
      context([entry('T', ['*.example.com'])]),
      'eligible with a secret',
    ],
    ['the entry is for any host', { url: TLS, secret: 'T' }, context([entry('T', ['*'])]), 'eligible with a secret'],
    [
      'the entry is missing',
      { url: TLS, secret: 'T' },
      context([entry('U', ['*'])]),
      'secret-missing T api.example.com',
    ],
    [
      'the entry is for another host',
      { url: TLS, secret: 'T' },
      context([entry('T', ['example.com'])]),
      'secret-host-not-allowed T api.example.com',
    ],
    [
      'the entry is for no host',
      { url: TLS, secret: 'T' },
      context([entry('T', [])]),
      'secret-host-not-allowed T api.example.com',
    ],
    [
      'the suffix alone is not below itself',
      { url: 'https://example.com/', secret: 'T' },
      context([entry('T', ['*.example.com'])]),
      'secret-host-not-allowed T example.com',
    ],
    [
      'the entry has a line break',
      { url: TLS, secret: 'T' },
      context([entry('T', ['*'], 'a\nb')]),
      'secret-not-header-safe T api.example.com',
    ],
    [
      'a secret would go without TLS',
      { url: PLAIN, secret: 'T' },
      context([entry('T', ['127.0.0.1'])]),
      'secret-host-not-allowed T 127.0.0.1',
    ],
    [
      'the plain origin is excepted',
      { url: PLAIN, secret: 'T' },
      context([entry('T', ['127.0.0.1'])], { text: 'a' }, ['http://127.0.0.1:9000']),
      'eligible with a secret',
    ],
    [
      'another port of it is excepted',
      { url: PLAIN, secret: 'T' },
      context([entry('T', ['127.0.0.1'])], { text: 'a' }, ['http://127.0.0.1:9001']),
      'secret-host-not-allowed T 127.0.0.1',
    ],
    [
      'the exception does not widen the hosts',
      { url: PLAIN, secret: 'T' },
      context([entry('T', ['api.example.com'])], { text: 'a' }, ['http://127.0.0.1:9000']),
      'secret-host-not-allowed T 127.0.0.1',
    ],
    ['a plain request without a secret', { url: PLAIN }, context([]), 'eligible'],
  ];
  for (const [why, options, given, expected] of rows) {
    it(`${why}: ${expected}`, () => expect(brief(main(options), given)).to.equal(expected));
  }

  const inHost: OrbOptions = { url: 'https://{{orbiset.secrets.SUB}}.example.com/run' };
  const hosts: readonly [string, EligibilityContext, string][] = [
    ['its entry is missing', context([]), 'secret-missing SUB *.example.com'],
    [
      'the host that it makes is allowed',
      context([entry('SUB', ['api.example.com'], 'api')]),
      'eligible with a secret',
    ],
    [
      'the host that it makes is not allowed',
      context([entry('SUB', ['b.example.com'], 'api')]),
      'secret-host-not-allowed SUB api.example.com',
    ],
  ];
  for (const [why, given, expected] of hosts) {
    it(`judges the host that a secret makes; ${why}: ${expected}`, () => {
      expect(brief(main(inHost), given)).to.equal(expected);
    });
  }

  it('leaves an input that can not stand in a header to the caller', () => {
    const provider = main({ url: TLS, execution: { headers: { 'X-Text': '{{inputs.text}}' } } });
    expect(brief(provider, context([], { text: 'a\r\nb: c' }))).to.equal('input /inputs/text');
  });

  const tainted: OrbOptions = {
    url: TLS,
    manifest: { inputs: { text: { type: 'string', default: '{{orbiset.secrets.FROM}}' } } },
  };
  const taint: readonly [string, EligibilityContext, string][] = [
    ['the default is used and its entry missing', context([], {}), 'secret-missing FROM api.example.com'],
    [
      'the default is used and its entry for another host',
      context([entry('FROM', ['other.com'])], {}),
      'secret-host-not-allowed FROM api.example.com',
    ],
    ['the default is used', context([entry('FROM', ['*'])], {}), 'eligible with a secret'],
    ['the caller gives its own value', context([], { text: 'mine' }), 'eligible'],
  ];
  for (const [why, given, expected] of taint) {
    it(`follows a secret through the default of an input; ${why}: ${expected}`, () => {
      expect(brief(main(tainted), given)).to.equal(expected);
    });
  }

  it('guards every later address as the first one', () => {
    const result = eligibility(main({ url: TLS, secret: 'T' }), context([entry('T', ['api.example.com'])]));
    if (result.kind !== 'eligible') throw new TypeError(result.kind);
    const urls = [
      'https://api.example.com/other',
      'http://api.example.com/',
      'https://evil.example.net/',
      'https://api.example.com.evil.net/',
    ];
    const refused = 'secret-host-not-allowed';
    expect(urls.map((url) => result.ready.guard(new URL(url)))).to.deep.equal([null, refused, refused, refused]);
  });

  it('guards nothing when no secret is in the request', () => {
    const result = eligibility(main({ url: TLS }), context([entry('T', ['api.example.com'])]));
    expect(result.kind === 'eligible' && result.ready.guard(new URL('http://evil.example.net/'))).to.equal(null);
  });

  it('needs the hosts of all secrets of a request, and names the one that refuses', () => {
    const headers = { 'X-A': '{{orbiset.secrets.A}}', 'X-B': '{{orbiset.secrets.B}}' };
    const provider = main({ url: TLS, execution: { headers } });
    const vault = [entry('A', ['api.example.com']), entry('B', ['other.com'])];
    expect(brief(provider, context(vault))).to.equal('secret-host-not-allowed B api.example.com');
  });
});

const execution = (host: string, secret: string): JsonObject => ({
  type: 'http',
  method: 'POST',
  url: `https://${host}/`,
  headers: { Authorization: `Bearer {{orbiset.secrets.${secret}}}`, 'Content-Type': 'application/json' },
  body_template: '{"text":"{{inputs.text}}"}',
});

const vaultOf = (a: readonly string[] | null, b: readonly string[] | null): readonly VaultEntry[] => [
  ...(a === null ? [] : [entry('A', a, 'value-of-a')]),
  ...(b === null ? [] : [entry('B', b, 'value-of-b')]),
];

describe('selectProviders', () => {
  const two = providersOf({
    url: 'https://a.example.com/',
    secret: 'A',
    manifest: {
      swap_config: { primary: 'main', fallbacks: ['second'] },
      providers: { second: { execution: execution('b.example.com', 'B') } },
    },
  });
  const pick = (vault: readonly VaultEntry[]): string => {
    const selected = selectProviders(two, context(vault));
    if (selected.kind === 'ready') return selected.eligible.map(({ provider }) => provider.name).join(' ');
    return selected.kind === 'input' ? 'input' : `${selected.code} ${selected.entry}`;
  };

  const rows: readonly [string, readonly VaultEntry[], string][] = [
    ['all that are eligible, in order', vaultOf(['*'], ['*']), 'main second'],
    ['the next one when the first lacks its entry', vaultOf(null, ['*']), 'second'],
    ['the next one when the first may not have it', vaultOf(['x.com'], ['*']), 'second'],
    ['the first alone when the next one may not have its entry', vaultOf(['*'], ['a.example.com']), 'main'],
    ['none, with the reason of the first in order', vaultOf(['x.com'], null), 'secret-host-not-allowed A'],
    ['none of an empty vault', [], 'secret-missing A'],
  ];
  for (const [why, vault, expected] of rows) {
    it(`takes ${why}`, () => expect(pick(vault)).to.equal(expected));
  }

  it('gives each provider a request with its own secrets and no others', () => {
    const selected = selectProviders(two, context(vaultOf(['*'], ['*'])));
    if (selected.kind !== 'ready') throw new TypeError(selected.kind);
    const texts = selected.eligible.map(({ request }) => JSON.stringify(request));
    const holds = texts.map((text) => [text.includes('value-of-a'), text.includes('value-of-b')]);
    expect(holds).to.deep.equal([
      [true, false],
      [false, true],
    ]);
    expect(selected.eligible.map(({ secrets }) => [...secrets.keys()])).to.deep.equal([['A'], ['B']]);
  });

  it('wants at least one provider', () => {
    expect(() => selectProviders([], context([]))).to.throw(RangeError);
  });
});
