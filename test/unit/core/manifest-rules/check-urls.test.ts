import { expect } from 'chai';
import { checkUrl } from '../../../../adapters/egress/url-guard.ts';
import { PROVIDER_PORTS } from '../../../../core/egress/provider-ports.ts';
import { checkManifest } from '../../../../core/manifest-rules/validate.ts';
import { aManifest, briefs, checkRows } from '../manifest/a-manifest.ts';

describe('checkUrls', () => {
  checkRows([
    ['http', aManifest({ url: 'http://orbs.example/run' }), ['error manifest-url-not-https /execution/url']],
    ['no scheme', aManifest({ url: 'orbs.example/run' }), ['error manifest-url-not-https /execution/url']],
    ['another scheme', aManifest({ url: 'file:///etc/passwd' }), ['error manifest-url-not-https /execution/url']],
    ['an IPv4 address', aManifest({ url: 'https://93.184.216.34/' }), ['error manifest-host-private /execution/url']],
    [
      'an IPv4 address as one number',
      aManifest({ url: 'https://2130706433/' }),
      ['error manifest-host-private /execution/url'],
    ],
    [
      'an IPv4 address in hexadecimal',
      aManifest({ url: 'https://0x7f.1/' }),
      ['error manifest-host-private /execution/url'],
    ],
    [
      'an IPv6 address',
      aManifest({ url: 'https://[2606:4700::1111]/' }),
      ['error manifest-host-private /execution/url'],
    ],
    ['a single label', aManifest({ url: 'https://intranet/' }), ['error manifest-host-private /execution/url']],
    [
      'a dot after the single label',
      aManifest({ url: 'https://intranet./' }),
      ['error manifest-host-private /execution/url'],
    ],
    [
      'a Service of a cluster',
      aManifest({ url: 'https://api.default.svc/' }),
      ['error manifest-host-private /execution/url'],
    ],
    [
      'a name under .local, in upper case',
      aManifest({ url: 'https://API.default.svc.cluster.LOCAL:8443/' }),
      ['error manifest-host-private /execution/url'],
    ],
    [
      'the metadata name of a cloud',
      aManifest({ url: 'https://metadata.google.internal/' }),
      ['error manifest-host-private /execution/url'],
    ],
    [
      'localhost with user info in front',
      aManifest({ url: 'https://api.example@localhost/' }),
      ['error manifest-host-private /execution/url'],
    ],
    [
      'a name under home.arpa',
      aManifest({ url: 'https://nas.home.arpa/' }),
      ['error manifest-host-private /execution/url'],
    ],
    [
      'a host that one secret makes',
      aManifest({ url: 'https://{{orbiset.secrets.HOST}}/' }),
      ['error manifest-host-private /execution/url'],
    ],
    ['a secret label in a public host', aManifest({ url: 'https://{{orbiset.secrets.SHOP}}.shops.example/' }), []],
    [
      'a port that the dialer refuses',
      aManifest({ url: 'https://orbs.example:8443/run' }),
      ['error manifest-port-refused /execution/url'],
    ],
    [
      'such a port behind a secret label',
      aManifest({ url: 'https://{{orbiset.secrets.SHOP}}.shops.example:444/' }),
      ['error manifest-port-refused /execution/url'],
    ],
    ['the port of https, written out', aManifest({ url: 'https://orbs.example:443/run' }), []],
    ['a host that only contains a private suffix', aManifest({ url: 'https://local.example/internal.svc' }), []],
    [
      'an input in the host, its name unknown too',
      aManifest({ url: 'https://{{inputs.h}}.example/' }),
      ['error manifest-input-in-host /execution/url', 'error manifest-unknown-input /execution/url'],
    ],
    [
      'an input in the port',
      aManifest({ url: 'https://a.example:{{ inputs.p }}/' }, { inputs: { p: { required: true } } }),
      ['error manifest-input-in-host /execution/url'],
    ],
    [
      'an input in the scheme',
      aManifest({ url: '{{inputs.u}}://a.example/' }, { inputs: { u: { required: true } } }),
      ['error manifest-input-in-host /execution/url'],
    ],
    [
      'an input that is the whole URL',
      aManifest({ url: '{{inputs.u}}' }, { inputs: { u: { required: true } } }),
      ['error manifest-input-in-host /execution/url'],
    ],
    [
      'an input in path and query',
      aManifest({ url: 'https://a.example/x/{{inputs.p}}?q={{inputs.p}}' }, { inputs: { p: { required: true } } }),
      [],
    ],
    [
      'the hosts of another provider and of a probe',
      aManifest(
        { probe: { url: 'https://localhost/' } },
        { providers: { b: { execution: { url: 'http://b.example/' } } } },
      ),
      ['error manifest-host-private /execution/probe/url', 'error manifest-url-not-https /providers/b/execution/url'],
    ],
  ]);

  it('says of a secret as the host where the host belongs, not which flag lets it through', () => {
    const { findings } = checkManifest(aManifest({ url: 'https://{{orbiset.secrets.HOST}}/run' }), {
      allowedOrigins: [],
    });
    const [detail] = findings.filter(({ code }) => code === 'manifest-host-private').map((finding) => finding.detail);
    expect(detail).to.include('Write the host').and.not.include('--egress');
  });

  const private1 = aManifest({ url: 'http://127.0.0.1:9000/run' });
  it('lets an allowed origin be http and private', () => {
    expect(briefs(private1, 'http://127.0.0.1:9000')).to.deep.equal([]);
  });

  it('knows an allowed origin in another spelling', () => {
    expect(briefs(aManifest({ url: 'https://LOCALHOST:443/run' }), 'https://localhost')).to.deep.equal([]);
  });

  it('lets an allowed origin have another port', () => {
    expect(briefs(aManifest({ url: 'https://orbs.example:8443/run' }), 'https://orbs.example:8443')).to.deep.equal([]);
  });

  it('refuses the ports that the dialer refuses, and no other', () => {
    for (const port of [0, 1, 22, 80, 442, 443, 444, 8080, 8443, 65_535]) {
      const url = `https://orbs.example:${port}/run`;
      const dialled = checkUrl(url, { ports: new Set(PROVIDER_PORTS), exceptions: new Map() }).ok;
      expect(briefs(aManifest({ url })).length === 0, url).to.equal(dialled);
    }
  });

  it('allows no scheme that has no hosts', () => {
    expect(briefs(aManifest({ url: 'file:///etc/passwd' }), 'file:///etc')).to.deep.equal([
      'error manifest-url-not-https /execution/url',
    ]);
  });

  for (const origin of ['http://127.0.0.1:900', 'https://127.0.0.1:9000', 'http://127.0.0.1', 'http://127.0.0.1:90000'])
    it(`does not take ${origin} for that origin`, () => {
      expect(briefs(private1, origin)).to.deep.equal(['error manifest-url-not-https /execution/url']);
    });

  it('keeps inputs out of an allowed origin', () => {
    const value = aManifest({ url: 'https://{{inputs.h}}:1/' }, { inputs: { h: { required: true } } });
    expect(briefs(value, 'https://{{inputs.h}}:1')).to.deep.equal(['error manifest-input-in-host /execution/url']);
  });
});
