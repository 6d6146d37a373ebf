import { expect } from 'chai';
import { greeting, type Greeting } from '../../../standalone/banner.ts';

const aGreeting = (change: Partial<Greeting> = {}): Greeting => ({
  url: 'http://127.0.0.1:8080',
  metricsUrl: 'http://127.0.0.1:9464/metrics',
  issuer: 'https://orbs.localhost',
  rootJwk: { crv: 'Ed25519', kty: 'OKP', x: 'abc' },
  newKey: 'orb_12345678_secret_crc',
  credentials: '/data/credentials.json',
  resources: '/manifests',
  exceptions: ['https://echo.orbs.example goes to 127.0.0.1:1'],
  hasExample: true,
  orb: 'orb',
  ...change,
});

const lineWith = (text: string, part: string): string => text.split('\n').find((line) => line.includes(part)) ?? '';

describe('greeting', () => {
  it('shows a new key, and a curl line that a shell takes apart into the example call', () => {
    const curl = lineWith(greeting(aGreeting()), 'curl');
    expect(curl).to.include('Authorization: Bearer orb_12345678_secret_crc');
    const body: unknown = JSON.parse(/-d '(.*)'$/.exec(curl)?.[1] ?? '');
    expect(body).to.deep.equal({ orb_id: 'example.echo@1.0.0', inputs: { text: 'Hello, Orb' } });
    expect(curl).to.include('http://127.0.0.1:8080/orbisets/default/execute');
  });

  it('never shows a key a second time: it says where it is kept', () => {
    const text = greeting(aGreeting({ newKey: undefined }));
    expect(text).not.to.include('orb_1');
    expect(text).to.include('$ORB_API_KEY').and.to.include('/data/credentials.json');
  });

  it('quotes the root key for a shell', () => {
    const line = lineWith(greeting(aGreeting({ rootJwk: { x: "it's" } })), 'trust add');
    expect(line.trim()).to.equal(String.raw`orb trust add https://orbs.localhost --root '{"x":"it'\''s"}'`);
  });

  it('offers no example that would not run', () => {
    const text = greeting(aGreeting({ hasExample: false }));
    expect(text).not.to.include('curl').and.not.to.include('orb run');
  });

  it('names every exception from the egress rules', () => {
    const text = greeting(aGreeting({ exceptions: ['one', 'two'] }));
    expect(text.split('\n').filter((line) => line.startsWith('Exception')).length).to.equal(2);
  });

  it('calls the command line as it is called from here', () => {
    expect(greeting(aGreeting({ orb: 'npm run -s orb --' }))).to.include('npm run -s orb -- run example.echo@1.0.0');
  });
});
