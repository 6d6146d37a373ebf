import canonicalize from 'canonicalize';
import { expect } from 'chai';
import { sha256 } from '../../../../adapters/keys/primitives.ts';
import type { JsonObject, JsonValue } from '../../../../core/json/json-value.ts';
import { digestOf } from '../../../../core/json/digest.ts';
import { compileOrb, type CompileOptions } from '../../../../core/orb/compile-orb.ts';
import type { CompiledOrb, CompiledProvider } from '../../../../core/orb/compiled-orb.ts';
import { compileStored } from '../../../../core/orb/plan-manifest.ts';
import { aManifest, mail, other } from '../manifest/a-manifest.ts';

const options: CompileOptions = { namespace: 'acme', allowedOrigins: [] };

function compiled(manifest: JsonValue, some: Partial<CompileOptions> = {}): CompiledOrb {
  const result = compileOrb(manifest, { ...options, ...some });
  if (!result.ok) throw new TypeError(JSON.stringify(result.findings));
  return result.value;
}

/** Of a manifest with its pin, as an object holds both. */
function storedDigest(spec: JsonObject): string {
  const orb = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { namespace: 'acme', name: 'mail' }, spec };
  const stored = compileStored(orb, []);
  return stored.kind === 'compiled' ? stored.orb.digest : stored.message;
}

function providerOf(orb: CompiledOrb, name = 'main'): CompiledProvider {
  const provider = orb.providers.get(name);
  if (provider === undefined) throw new TypeError(`no provider ${name}`);
  return provider;
}

/** `code pointer` of every finding, in order. */
const places = (manifest: JsonValue): readonly string[] =>
  compileOrb(manifest, options).findings.map(({ code, pointer }) => `${code} ${pointer}`);

describe('compileOrb (design.md §2)', () => {
  it('takes the mail example with the members of the specification alone, without a finding', () => {
    const orb = compiled(mail);
    expect(orb.findings).to.deep.equal([]);
    expect([orb.orbId, orb.order, [...orb.providers.keys()]]).to.deep.equal([
      'acme.send-email@1.0.0',
      ['sendgrid'],
      ['sendgrid'],
    ]);
  });

  it('names a manifest by the digest of its canonical text, as sent: no default is filled in', () => {
    const orb = compiled(mail);
    expect(orb.jcs).to.equal(canonicalize(mail));
    expect(orb.digest).to.equal(digestOf(Buffer.from(orb.jcs), sha256));
    const turned = Object.fromEntries(Object.entries(mail).toReversed());
    expect(compiled(turned).digest).to.equal(orb.digest);
    expect(storedDigest({ ...mail, pin: { provider: 'x', expires_at: '2026-11-20T10:00:00Z' } })).to.equal(orb.digest);
    expect(compiled({ ...mail, access: 'key' }).digest).to.not.equal(orb.digest);
  });

  it('fills in the defaults of failover.md §12.1', () => {
    expect(providerOf(compiled(aManifest()))).to.include({
      timeoutMs: 30_000,
      connectTimeoutMs: 1000,
      attemptTimeoutMs: undefined,
      bodyIdleMs: 5000,
      idempotent: false,
      idempotencyHeader: undefined,
      followRedirects: 0,
      exposeErrorBody: false,
      maxResponseBytes: undefined,
    });
    expect(compiled(aManifest())).to.include({
      sloMs: 5000,
      effect: 'reversible',
      anonymous: false,
      hasInputs: false,
      hasOutputs: false,
    });
  });

  const retries: readonly [why: string, execution: JsonObject, expected: readonly unknown[]][] = [
    ['the defaults of failover.md §12.2', {}, [3, [408, 425, 429, 500, 502, 503, 504], [429]]],
    ['no repeat at all', { retry: { max_attempts: 1, on_status: [] } }, [1, [], [429]]],
    [
      'no status that says that nothing was done',
      { retry: { not_executed_status: [] } },
      [3, [408, 425, 429, 500, 502, 503, 504], []],
    ],
    [
      'what the manifest says',
      { retry: { max_attempts: 2, on_status: [500], not_executed_status: [503] } },
      [2, [500], [503]],
    ],
  ];
  for (const [why, execution, expected] of retries) {
    it(`repeats by ${why}`, () => {
      const { maxAttempts, onStatus, notExecutedStatus } = providerOf(compiled(aManifest(execution))).retry;
      expect([maxAttempts, [...onStatus], [...notExecutedStatus]]).to.deep.equal(expected);
    });
  }

  it('takes what the manifest says instead', () => {
    const execution = {
      method: 'POST',
      timeout_ms: 100,
      connect_timeout_ms: 200,
      attempt_timeout_ms: 50,
      body_idle_ms: 60,
      idempotent: true,
      idempotency_header: 'X-Key',
      follow_redirects: 2,
      expose_error_body: true,
      max_response_bytes: 10,
      slo_ms: 7,
    };
    const orb = compiled(aManifest(execution, { effect: 'irreversible', access: 'anonymous' }));
    expect(providerOf(orb)).to.include({
      timeoutMs: 100,
      connectTimeoutMs: 200,
      attemptTimeoutMs: 50,
      bodyIdleMs: 60,
      idempotent: true,
      idempotencyHeader: 'X-Key',
      followRedirects: 2,
      exposeErrorBody: true,
      maxResponseBytes: 10,
    });
    expect(orb).to.include({ sloMs: 7, effect: 'irreversible', anonymous: true });
  });

  const orders: readonly [string, JsonObject, readonly string[]][] = [
    ['no swap_config', { providers: { b: other } }, ['main']],
    [
      'a primary and fallbacks',
      { providers: { b: other }, swap_config: { primary: 'b', fallbacks: ['main'] } },
      ['b', 'main'],
    ],
    [
      'no primary: the manifest’s own provider',
      { providers: { b: other }, swap_config: { fallbacks: ['b'] } },
      ['main', 'b'],
    ],
    ['a fallback that nothing defines', { swap_config: { primary: 'main', fallbacks: ['nowhere'] } }, ['main']],
    ['nothing defined at all', { swap_config: { primary: 'nowhere', fallbacks: ['nor-here'] } }, ['main']],
  ];
  for (const [why, members, expected] of orders) {
    it(`orders providers: ${why}`, () => expect(compiled(aManifest({}, members)).order).to.deep.equal(expected));
  }

  it('takes the outputs of a provider from where it says, and those of the manifest else', () => {
    const outputs = { id: { type: 'string' }, n: { type: 'integer', from: '/body/n' } };
    const providers = { b: { ...other, outputs: { id: { from: '/body/a~1b' } } } };
    const orb = compiled(aManifest({}, { outputs, providers }));
    expect(providerOf(orb, 'main').outputs).to.deep.equal([
      { name: 'id', type: 'string', from: undefined },
      { name: 'n', type: 'integer', from: ['body', 'n'] },
    ]);
    expect(providerOf(orb, 'b').outputs).to.deep.equal([
      { name: 'id', type: 'string', from: ['body', 'a/b'] },
      { name: 'n', type: 'integer', from: ['body', 'n'] },
    ]);
  });

  it('says once what both of its passes find, and all of it', () => {
    const template = '{"a":"{{inputs.nobody}}","b":"{{inputs.noone}}"}';
    const headers = { 'Content-Type': 'application/json' };
    const found = places(aManifest({ method: 'POST', headers, body_template: template }));
    expect(found.length).to.be.greaterThan(0);
    expect(found.filter((place) => place.endsWith('/execution/body_template'))).to.deep.equal(found);
    const texts = compileOrb(aManifest({ method: 'POST', headers, body_template: template }), options).findings.map(
      ({ detail }) => detail,
    );
    expect(new Set(texts).size).to.equal(texts.length);
  });

  const broken: readonly [string, JsonValue][] = [
    ['no object', []],
    [
      'a fallback twice',
      aManifest({}, { providers: { b: other }, swap_config: { primary: 'main', fallbacks: ['b', 'b'] } }),
    ],
    ['no orb_id', { provider: 'a' }],
    ['an id without a version', { ...mail, orb_id: 'acme.mail' }],
    ['an unknown member', { ...mail, providr: 'x' }],
    ['an address without https', aManifest({ url: 'ftp://orbs.example/' })],
    ['an unknown placeholder', aManifest({ url: 'https://orbs.example/{{inputs.x}}' })],
    [
      'a broken second provider',
      aManifest({}, { providers: { b: { execution: { url: 'https://b.example/{{inputs.x}}' } } } }),
    ],
  ];
  for (const [why, manifest] of broken) {
    it(`refuses a manifest with ${why}, each finding once`, () => {
      const result = compileOrb(manifest, options);
      expect(result.ok).to.equal(false);
      expect(result.findings.filter(({ severity }) => severity === 'error')).to.not.have.lengthOf(0);
      const reported = result.findings.map((finding) => JSON.stringify(finding));
      expect(new Set(reported).size).to.equal(reported.length);
    });
  }
});
