import { expect } from 'chai';
import { compileProbe } from '../../../../core/orb/compile-probe.ts';
import { compileRequest } from '../../../../core/template/compile-request.ts';
import type { CompiledOutput, CompiledProbe } from '../../../../core/orb/compiled-orb.ts';
import type { Execution } from '../../../../crds/manifest.ts';
import type { RenderedRequest } from '../../../../core/template/rendered-request.ts';

const URL_OF_RUN = 'https://api.example.com/run';
const outputs: readonly CompiledOutput[] = [{ name: 'id', type: 'string', from: ['body', 'id'] }];
const INPUTS = { text: { type: 'string', required: true } };
const POST: Execution = {
  method: 'POST',
  url: URL_OF_RUN,
  headers: { 'X-Key': '{{orbiset.secrets.TOKEN}}' },
  body_template: '{"text":"{{inputs.text}}"}',
};
const GET: Execution = { url: URL_OF_RUN };

function compile(execution: Execution): ReturnType<typeof compileProbe> {
  const request = compileRequest(execution, INPUTS, '/execution');
  if (!request.ok) throw new TypeError('the execution itself compiles');
  return compileProbe(execution, { request: request.value, outputs }, INPUTS, '/execution');
}

function probeOf(execution: Execution): CompiledProbe | undefined {
  const compiled = compile(execution);
  if (!compiled.ok) throw new TypeError(JSON.stringify(compiled.findings));
  return compiled.value;
}

function requestOf(execution: Execution): RenderedRequest | undefined {
  const rendered = probeOf(execution)?.request.render({ inputs: { text: 'x' }, secret: () => 's3cret' });
  return rendered?.ok === true ? rendered.request : undefined;
}

const run = { method: 'POST', url: URL_OF_RUN, headers: [['X-Key', 's3cret']], body: '{"text":"x"}' };

describe('compileProbe (failover.md §7)', () => {
  const requests: readonly [string, Execution, unknown][] = [
    ['nothing for a POST: its probe would have the effect', POST, undefined],
    ['nothing for a body without a method: that is a POST', { url: URL_OF_RUN, body_template: 'x' }, undefined],
    ['nothing for a POST whose probe says only what is expected', { ...POST, probe: { expect: {} } }, undefined],
    ['the own request of a GET', GET, { method: 'GET', url: URL_OF_RUN, headers: [], body: null }],
    [
      'another URL, and the rest of the execution',
      { ...POST, probe: { url: `${URL_OF_RUN}/dry` } },
      { ...run, url: `${URL_OF_RUN}/dry` },
    ],
    [
      'a GET without the body of the POST',
      { ...POST, probe: { method: 'GET' } },
      { ...run, method: 'GET', body: null },
    ],
    ['another body', { ...POST, probe: { body_template: '{"dry":true}' } }, { ...run, body: '{"dry":true}' }],
    ['other headers in place of all', { ...POST, probe: { headers: { A: 'b' } } }, { ...run, headers: [['A', 'b']] }],
    [
      'a GET with a body of its own',
      { ...POST, probe: { method: 'GET', body_template: '1' } },
      { ...run, method: 'GET', body: '1' },
    ],
  ];
  for (const [what, execution, expected] of requests) {
    it(`sends ${what}`, () => {
      expect(requestOf(execution)).to.deep.equal(expected);
    });
  }

  it('asks for the secrets of the probe, not for those of the execution', () => {
    const probe = { headers: { 'X-Other': '{{orbiset.secrets.OTHER}}' } };
    expect(probeOf({ ...POST, probe })?.request.secretsFor({})).to.deep.equal(['OTHER']);
  });

  it('reports an error in the probe where it stands, and nothing twice that the execution was told', () => {
    const broken = compile({ ...POST, probe: { url: `${URL_OF_RUN}/{{nothing}}` } });
    expect(broken).to.deep.include({ ok: false });
    expect(broken.findings.map(({ pointer }) => pointer)).to.deep.equal(['/execution/probe/url']);
  });

  it('reports what only the two together get wrong at the probe', () => {
    const headers = { 'Content-Type': 'application/json' };
    const together = compile({ method: 'POST', url: URL_OF_RUN, body_template: 'no JSON', probe: { headers } });
    expect(together).to.deep.include({ ok: false });
    expect(together.findings.map(({ pointer }) => pointer)).to.deep.equal(['/execution/probe']);
  });
});
