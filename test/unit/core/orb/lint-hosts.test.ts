import { expect } from 'chai';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { compileOrb } from '../../../../core/orb/compile-orb.ts';
import { secretsBound, secretUsesOf, type SecretUse } from '../../../../core/orb/lint-hosts.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { anOrbiset } from '../../../support/kube-objects.ts';

function usesOf(execution: JsonObject, members: JsonObject = {}): readonly SecretUse[] {
  const manifest = { orb_id: 'acme.echo@1.0.0', provider: 'main', inputs: {}, outputs: {}, execution, ...members };
  const compiled = compileOrb(manifest, { namespace: 'acme', allowedOrigins: [] });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.findings));
  return secretUsesOf(compiled.value);
}

const MAIN = 'https://api.example.com/';
const keyed = (url: string, entry = 'KEY'): JsonObject => ({
  url,
  headers: { 'x-key': `{{orbiset.secrets.${entry}}}` },
});
const vault = (...secrets: readonly unknown[]): KubeObject => anOrbiset('team', { spec: { vault: { secrets } } });
const bound = (hosts: readonly string[], keys?: unknown): unknown => ({
  name: 's',
  allowedHosts: hosts,
  ...(keys === undefined ? {} : { keys }),
});

describe('secretUsesOf', () => {
  const input = { inputs: { from: { default: '{{orbiset.secrets.FROM}}' } } };
  const rows: readonly [why: string, uses: readonly SecretUse[], expected: readonly string[]][] = [
    ['a secret in a header', usesOf(keyed(MAIN)), ['main api.example.com KEY']],
    ['a request without one', usesOf({ url: MAIN }), []],
    [
      'a secret in the default of an input',
      usesOf({ url: MAIN, body_template: '{{inputs.from}}' }, input),
      ['main api.example.com FROM'],
    ],
    ['a host that a secret makes', usesOf({ url: 'https://{{orbiset.secrets.SHOP}}.shops.example/' }), []],
    [
      'a provider with a host and a secret of its own',
      usesOf(keyed(MAIN), { providers: { b: { execution: keyed('https://b.example.com/', 'B_KEY') } } }),
      ['main api.example.com KEY', 'b b.example.com B_KEY'],
    ],
    [
      'a probe of another host',
      usesOf({ ...keyed(MAIN), probe: { url: 'https://status.example.com/' } }),
      ['main api.example.com KEY', 'main status.example.com KEY'],
    ],
  ];
  for (const [why, uses, expected] of rows)
    it(`finds where secrets go: ${why}`, () => {
      expect(uses.map(({ provider, host, entries }) => `${provider} ${host} ${entries.join()}`)).to.deep.equal(
        expected,
      );
    });
});

describe('secretsBound (failover.md §11)', () => {
  const one = usesOf(keyed(MAIN));
  const two = usesOf(keyed(MAIN), { providers: { b: { execution: keyed('https://b.example.net/', 'B_KEY') } } });
  const right = bound(['api.example.com']);
  const suspended = anOrbiset('off', { spec: { suspended: true, vault: { secrets: [right] } } });
  const rows: readonly [
    why: string,
    uses: readonly SecretUse[],
    orbisets: readonly KubeObject[],
    reason: string | undefined,
  ][] = [
    ['no secret', [], [vault()], undefined],
    ['no Orbiset', one, [], undefined],
    ['only a suspended one', one, [suspended], undefined],
    ['the host', one, [vault(right)], 'HostsBound'],
    ['a suffix of the host', one, [vault(bound(['*.example.com']))], 'HostsBound'],
    ['another host', one, [vault(bound(['api.example.net']))], 'HostNotBound'],
    ['nothing', one, [vault()], 'HostNotBound'],
    ['the entry in a list of keys', one, [vault(bound(['api.example.com'], ['KEY']))], 'HostsBound'],
    ['the entry by another name of its key', one, [vault(bound(['api.example.com'], { KEY: 'k' }))], 'HostsBound'],
    ['another entry', one, [vault(bound(['api.example.com'], ['OTHER']))], 'HostNotBound'],
    ['one Orbiset of two', one, [vault(), vault(right)], 'HostsBound'],
    ['each provider in another Orbiset', two, [vault(right), vault(bound(['b.example.net']))], 'HostsBound'],
    ['one provider of two', two, [vault(right)], 'HostNotBound'],
    ['a vault that can not be read', one, [vault(7, { allowedHosts: 7 }), anOrbiset('x', { spec: 7 })], 'HostNotBound'],
  ];
  for (const [why, uses, orbisets, reason] of rows)
    it(`says ${reason ?? 'nothing'}: ${why}`, () => {
      expect(secretsBound(uses, orbisets)?.reason).to.equal(reason);
    });

  it('names provider, entry and host, and no Orbiset', () => {
    const message = secretsBound(two, [vault(right)])?.message ?? '';
    for (const part of ['"b"', 'B_KEY', 'b.example.net', 'allowedHosts']) expect(message).to.include(part);
    expect(message).not.to.match(/"main"|team/);
  });

  it('names all entries when no vault has them together', () => {
    const uses: readonly SecretUse[] = [{ provider: 'main', host: 'api.example.com', entries: ['A', 'B'] }];
    const apart = ['A', 'B'].map((entry) => vault(bound(['api.example.com'], [entry])));
    expect(secretsBound(uses, apart)?.message).to.include('bind A and B with api.example.com');
  });

  it('fits into a condition, whatever names are like', () => {
    const uses = Array.from({ length: 9 }, (_, index): SecretUse => {
      const entries = Array.from({ length: 40 }, (__, entry) => `${'K'.repeat(60)}${entry}`);
      return { provider: `p${index}`, host: 'api.example.com', entries };
    });
    expect(Buffer.byteLength(secretsBound(uses, [vault()])?.message ?? '')).to.be.within(1, 1024);
  });
});
