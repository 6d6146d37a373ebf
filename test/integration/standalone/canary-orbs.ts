import { orbManifest } from '../../support/orbs.ts';
import { SENDINGS, SPELLINGS } from './canary-provider.ts';

const OUTPUTS = {
  id: { type: 'string' },
  echo: { type: 'array' },
  keys: { type: 'object' },
  x_echo: { type: 'string' },
};
const WHOLE = { whole: { type: 'string', from: '/body' } };
const WRONG = { id: { type: 'integer', from: '/body/echo/0' } };

const inputs = {
  way: { type: 'string', default: 'json' },
  spelling: { type: 'string', default: 'raw' },
  status: { type: 'string', default: '200' },
  values: { type: 'array', default: [] },
};

/** How the provider sends values back. */
export const ways = [
  ...SPELLINGS.map((spelling) => ({ way: 'json', spelling })),
  ...SPELLINGS.map((spelling) => ({ way: 'text', spelling })),
  ...['hex', 'base64', 'url', 'json', 'html'].flatMap((spelling) =>
    ['headers', 'bytes', 'chunks', 'gzip', 'reason'].map((way) => ({ way, spelling })),
  ),
  ...SENDINGS.map((way) => ({ way, spelling: 'raw' })),
];

type Orb = Parameters<typeof orbManifest>[1];

/** Makes Orbs that send every canary, in a header, in their URL and in their body. @param entries of the vault */
const leakingOf =
  (entries: readonly string[]) =>
  (url: string, change: Partial<Orb> = {}): Orb => {
    const values = entries.map((entry) => `"{{orbiset.secrets.${entry}}}"`).join(',');
    const headers = {
      Authorization: 'Bearer {{orbiset.secrets.CNRY_TOKEN}}',
      'X-Quotes': '{{orbiset.secrets.CNRY_QUOTES}}',
      'Content-Type': 'application/json',
    };
    const body = {
      headers,
      body_template: `{"values":[${values}]}`,
      max_response_bytes: 150_000,
      expose_error_body: true,
    };
    const manifest = { inputs, ...change.manifest };
    return { url, outputs: OUTPUTS, ...change, execution: { ...body, ...change.execution }, manifest };
  };

/** Files with Orbs for every way to send a secret back, and for every way to fail. @param port of the provider */
export function canaryOrbs(port: number, entries: readonly string[]): Record<string, string> {
  const leaking = leakingOf(entries);
  const at = `http://127.0.0.1:${port}/{{inputs.way}}/{{inputs.spelling}}/{{inputs.status}}`;
  const all: Record<string, Orb> = {
    json: leaking(`${at}?key={{orbiset.secrets.CNRY_QUOTES}}`),
    schema: leaking(at, { outputs: WRONG }),
    dns: leaking('https://no-such-name.invalid/?key={{orbiset.secrets.CNRY_TOKEN}}'),
    tls: leaking('https://wrong.orbs.example/{{orbiset.secrets.CNRY_TOKEN}}'),
    connect: leaking('http://127.0.0.1:1/{{orbiset.secrets.CNRY_TOKEN}}/'),
    header: leaking(at, { execution: { headers: { 'X-Lines': '{{orbiset.secrets.CNRY_LINES}}' } } }),
    missing: leaking(at, { execution: { headers: { 'X-None': '{{orbiset.secrets.NONE}}' } } }),
    elsewhere: leaking('https://not-allowed.example/{{orbiset.secrets.CNRY_TOKEN}}'),
    control: {
      url: at,
      outputs: OUTPUTS,
      execution: {
        body_template: '{"values":{{inputs.values}}}',
        max_response_bytes: 150_000,
        expose_error_body: true,
      },
      manifest: { inputs },
    },
  };
  // One for each way: answers of a status that is an error would open the breaker of a single one.
  const each = ways.map(({ way }, index): [string, Orb] => [
    `way-${index}`,
    way === 'text' || way === 'chunks'
      ? leaking(at, { outputs: WHOLE })
      : leaking(`${at}?key={{orbiset.secrets.CNRY_QUOTES}}`),
  ]);
  return Object.fromEntries(
    [...Object.entries(all), ...each].map(([name, orb]) => [`${name}.json`, orbManifest(`cnry.${name}@1.0.0`, orb)]),
  );
}

/** The origin of the Orb that is published. */
export const PUBLISHED_ORIGIN = 'https://cnry.orbs.example';
export const PUBLISHED_ORB = 'cnry.published@1.0.0';

/** An Orb that sends every canary, and that can be published. */
export const publishedOrb = (entries: readonly string[]): string =>
  orbManifest(
    PUBLISHED_ORB,
    leakingOf(entries)(
      `${PUBLISHED_ORIGIN}/{{inputs.way}}/{{inputs.spelling}}/{{inputs.status}}?key={{orbiset.secrets.CNRY_QUOTES}}`,
      { manifest: { description: 'Repeats what it hears.', capabilities: ['http.call'] } },
    ),
  );

const expected = {
  status: 'completed',
  outputs: {
    id: { equals: 'id-1' },
    echo: { schema: { type: 'array', minItems: 1 } },
    keys: { schema: { type: 'object' } },
    x_echo: { absent: true },
  },
};

/** Its suite: mock cases with other secrets, and live ones in which the provider sends back those of the vault. */
export const publishedSuite = (entries: readonly string[]): string =>
  JSON.stringify({
    format: 'orbtest/1',
    name: 'canary',
    orb: 'cnry.published',
    defaults: { secrets: Object.fromEntries(entries.map((entry) => [entry, `made-up ${entry}`])) },
    cases: [
      {
        id: 'mock',
        inputs: {},
        responses: [{ provider: 'main', status: 200, body: { id: 'id-1', echo: ['x'], keys: {} } }],
        expect: expected,
      },
      ...SPELLINGS.map((spelling) => ({
        id: `live-${spelling}`,
        mode: 'live',
        inputs: { spelling },
        expect: expected,
      })),
      { id: 'live-failure', mode: 'live', inputs: { status: '503' }, expect: { status: 'failed' } },
    ],
  });
