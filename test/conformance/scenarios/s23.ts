import { textAt } from '../../support/members.ts';
import { Checks, type Result, type Scenario } from '../scenario.ts';
import { answersOk, inWorld, secretOf, serves, type World } from '../world.ts';

type Place = 'json' | 'header' | 'path' | 'query';
/** The value that the provider must receive, or the code of a refusal. */
type Expected = 'literally' | `422 ${string}`;

const INPUTS: readonly (readonly [why: string, value: string, expected: Readonly<Record<Place, Expected>>])[] = [
  [
    'a placeholder',
    '{{orbiset.secrets.A}}',
    { json: 'literally', header: 'literally', path: 'literally', query: 'literally' },
  ],
  [
    'a placeholder of an input',
    '{{inputs.text}}',
    { json: 'literally', header: 'literally', path: 'literally', query: 'literally' },
  ],
  [
    'a quote',
    '"},"admin":true,"x":"',
    { json: 'literally', header: 'literally', path: 'literally', query: 'literally' },
  ],
  [
    'a backslash',
    String.raw`a\n\"b`,
    { json: 'literally', header: 'literally', path: 'literally', query: 'literally' },
  ],
  [
    'CRLF',
    'a\r\nX-Evil: b',
    { json: 'literally', header: '422 template-invalid-header-value', path: 'literally', query: 'literally' },
  ],
  [
    'NUL',
    'a\u0000b',
    { json: 'literally', header: '422 template-invalid-header-value', path: 'literally', query: 'literally' },
  ],
  [
    'a replacement pattern',
    "$&$1$`$'",
    { json: 'literally', header: 'literally', path: 'literally', query: 'literally' },
  ],
  [
    'a path upwards',
    '../admin',
    { json: 'literally', header: 'literally', path: '422 template-path-traversal', query: 'literally' },
  ],
  [
    'a segment upwards',
    '..',
    { json: 'literally', header: 'literally', path: '422 template-path-traversal', query: 'literally' },
  ],
];

const PLACES: Readonly<Record<Place, Readonly<Record<string, unknown>>>> = {
  json: {},
  header: { headers: { 'Content-Type': 'application/json', 'X-Text': '{{inputs.text}}' }, body_template: '{}' },
  path: { url: 'https://a.example.com/run/{{inputs.text}}', body_template: '{}' },
  query: { url: 'https://a.example.com/run?text={{inputs.text}}', body_template: '{}' },
};

/** The value that the provider reads in place of the placeholder. */
function readBack(request: string, place: Place): unknown {
  const [head = '', body = ''] = Buffer.from(request, 'latin1').toString('utf8').split('\r\n\r\n');
  const [line = '', ...headers] = head.split('\r\n');
  const url = new URL(line.split(' ')[1] ?? '', 'https://a.example.com');
  switch (place) {
    case 'json': {
      const value: unknown = JSON.parse(body);
      return value;
    }
    case 'header':
      return headers.find((header) => header.toLowerCase().startsWith('x-text: '))?.slice('x-text: '.length);
    case 'path':
      return url.pathname.split('/').slice(2).map(decodeURIComponent);
    case 'query':
      return [...url.searchParams];
    default:
      return place satisfies never;
  }
}

const wanted = (place: Place, value: string): unknown =>
  ({ json: { text: value }, header: value, path: [value], query: [['text', value]] })[place];

async function check(world: World, place: Place, checks: Checks): Promise<void> {
  for (const [why, value, expected] of INPUTS) {
    const before = world.server('a').requests.length;
    const answered = await world.run({ inputs: { text: value } });
    const requests = world.server('a').requests.slice(before);
    if (expected[place] === 'literally') {
      checks.equal(`${why} in ${place}`, readBack(requests[0] ?? '', place), wanted(place, value));
      checks.equal(`${why} in ${place}: headers that it added`, /\r\nx-evil:/i.test(requests.join('')), false);
    } else {
      const code = textAt(answered.body, 'errors', '0', 'code');
      checks.equal(`${why} in ${place}`, `${answered.status} ${code}`, expected[place]);
      checks.equal(`${why} in ${place}: requests`, requests.length, 0);
    }
    const sent = requests.join('').split(secretOf('a')).length - 1;
    checks.equal(`${why} in ${place}: secrets in what was sent`, sent, 0);
  }
}

/** A value arrives unchanged, or nothing is sent. */
async function literal(place: Place): Promise<Result> {
  const checks = new Checks();
  await inWorld({ places: { a: serves(answersOk('a')) }, execution: PLACES[place], secrets: false }, async (world) => {
    await check(world, place, checks);
    const missing = await world.run({ inputs: {} });
    checks.equal('without the input', `${missing.status} ${String(missing.code)}`, '422 invalid-inputs');
    checks.equal('its requests', world.server('a').requests.filter((text) => text.includes('undefined')).length, 0);
  });
  return checks.result();
}

/** A placeholder without a value is an error, never an empty text. */
async function missingSecret(): Promise<Result> {
  const checks = new Checks();
  await inWorld({ places: { a: serves(answersOk('a')), b: serves(answersOk('b')) } }, async (world) => {
    world.addOrbiset('support', 'acme', {});
    const answered = await world.run();
    checks.equal('answer', `${answered.status} ${String(answered.code)}`, '409 secret-missing');
    checks.equal('connections', [world.server('a').connections(), world.server('b').connections()], [0, 0]);
  });
  return checks.result();
}

const places = ['json', 'header', 'path', 'query'] as const satisfies readonly Place[];

export const s23: readonly Scenario[] = [
  ...places.map((place) => ({ id: 'S23', title: `awkward inputs in ${place}`, run: () => literal(place) })),
  { id: 'S23', title: 'a placeholder without a value', run: missingSecret },
];
