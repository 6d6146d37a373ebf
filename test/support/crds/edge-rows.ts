/** The side that accepts a document. */
export type Accepted = 'both' | 'nobody' | 'server' | 'core';

/** The special case, the JSON text, and the side that accepts it. */
export type EdgeRow = readonly [what: string, text: string, accepted: Accepted];

const IDENTITY = '"orb_id":"acme.echo@1.0.0","provider":"main"';
const orb = (metadata: string, spec: string, more = ''): string =>
  `{"apiVersion":"orbs.dev/v1alpha1","kind":"Orb","metadata":${metadata},"spec":{${spec}}${more}}`;
const NAMED = '{"name":"a"}';
/** An Orb with the given members in its execution and beside it. */
const execution = (members: string, beside = ''): string =>
  orb(NAMED, `${IDENTITY},"inputs":{},"outputs":{},"execution":{"url":"https://a.example/"${members}}${beside}`);
const beside = (members: string): string => execution('', `,${members}`);
const swap = (members: string): string => beside(`"swap_config":{${members}}`);
const input = (definition: string, name = 'a'): string =>
  orb(NAMED, `${IDENTITY},"inputs":{"${name}":${definition}},"outputs":{},"execution":{"url":"https://a.example/"}`);
const metadata = (text: string, more = ''): string =>
  orb(text, `${IDENTITY},"inputs":{},"outputs":{},"execution":{"url":"https://a.example/"}`, more);
const orbiset = (spec: string, name = 'a'): string =>
  `{"apiVersion":"orbs.dev/v1alpha1","kind":"Orbiset","metadata":{"name":"${name}"},"spec":${spec}}`;
const bound = (...bindings: readonly string[]): string =>
  orbiset(
    `{"vault":{"secrets":[${bindings.map((binding) => `{"name":"s","allowedHosts":["*"]${binding}}`).join(',')}]}}`,
  );
const keys = (value: string): string => bound(`,"keys":${value}`);
const publication = (spec: string): string =>
  `{"apiVersion":"orbs.dev/v1alpha1","kind":"OrbPublication","metadata":{"name":"a"},"spec":{${spec}}}`;
const MANIFEST = `{${IDENTITY},"inputs":{},"outputs":{},"execution":{"url":"https://a.example/"}}`;
const pin = (members: string): string => beside(`"pin":{${members}}`);
const many = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => item(i)).join(',');
const astral = (count: number): string => '\u{1f600}'.repeat(count);
const OTHER = '"providers":{"other":{"execution":{"url":"https://b.example/"';

const numbers: readonly EdgeRow[] = [
  ['an integer with a point', execution(',"timeout_ms":5000.0'), 'both'],
  ['an integer with an exponent', execution(',"timeout_ms":5e3'), 'both'],
  ['an integer with an exponent that a rule reads', execution(',"timeout_ms":5e3,"slo_ms":1'), 'core'],
  ['half an integer', execution(',"timeout_ms":5000.5'), 'nobody'],
  ['an integer where numbers stand', swap('"latency":{"degrade_ratio":2}'), 'both'],
  ['a whole number below a minimum with a fraction', swap('"latency":{"degrade_ratio":1}'), 'nobody'],
  ['zero where the minimum is a fraction', swap('"hard_failure":{"error_ratio":0}'), 'nobody'],
  ['zero where the minimum is a half', swap('"failback":{"min_probe_ok":0}'), 'nobody'],
  ['the minimum itself', swap('"hard_failure":{"error_ratio":0.05}'), 'both'],
  ['a number of an enumeration in another spelling', swap('"latency":{"quantile":0.50}'), 'both'],
  ['minus zero', swap('"dwell":{"jitter":-0.0}'), 'server'],
  ['a default beyond 2^53', input('{"type":"integer","default":9007199254740993}'), 'server'],
  ['a large default with an exponent', input('{"type":"number","default":1e30}'), 'both'],
  ['a default beyond what a double holds', input('{"type":"number","default":1e999}'), 'nobody'],
];

const texts: readonly EdgeRow[] = [
  ['a member twice', execution(',"method":"GET","method":"GET"'), 'nobody'],
  ['a member twice inside a default', input('{"type":"object","default":{"b":1,"b":2}}'), 'nobody'],
  ['half of a surrogate pair', beside('"description":"\\ud800"'), 'server'],
  ['NUL in a text', beside('"description":"a\\u0000b"'), 'both'],
  ['the longest text, in characters of four bytes', beside(`"description":"${astral(1024)}"`), 'both'],
  ['a text that is one character longer', beside(`"description":"${astral(1025)}"`), 'nobody'],
  ['the longest body', execution(`,"body_template":"${'x'.repeat(262_144)}"`), 'both'],
  ['a longer body', execution(`,"body_template":"${'x'.repeat(262_145)}"`), 'nobody'],
  ['a newline at the end of a name', beside('"swap_config":{"primary":"main\\n"}'), 'nobody'],
  ['a carriage return in a pointer', execution(',"probe":{"expect":{"pointer":"/a\\r"}}'), 'both'],
  ['a line separator in a pointer', execution(',"probe":{"expect":{"pointer":"/a\\u2028"}}'), 'both'],
  ['an escape that no pointer has', execution(',"probe":{"expect":{"pointer":"/a~2"}}'), 'nobody'],
  ['a default of 100 levels', input(`{"type":"array","default":${'['.repeat(100)}${']'.repeat(100)}}`), 'both'],
  ['a default of 200 levels', input(`{"type":"array","default":${'['.repeat(200)}${']'.repeat(200)}}`), 'server'],
];

const members: readonly EdgeRow[] = [
  ['the specification alone', execution(''), 'both'],
  ['an unknown member', execution(',"timeout":5'), 'nobody'],
  ['an unknown member of the document', metadata(NAMED, ',"extra":1'), 'nobody'],
  ['null where it is optional', execution(',"method":null'), 'server'],
  ['null where it is required', execution(',"url":null'), 'nobody'],
  ['a method in lower case', execution(',"method":"get"'), 'nobody'],
  ['64 headers', execution(`,"headers":{${many(64, (index) => `"h${index}":"x"`)}}`), 'both'],
  ['65 headers', execution(`,"headers":{${many(65, (index) => `"h${index}":"x"`)}}`), 'nobody'],
  ['a header name with a blank', execution(',"headers":{"a b":"x"}'), 'nobody'],
  ['the longest header name', execution(`,"headers":{"${'a'.repeat(128)}":"x"}`), 'both'],
  ['a longer header name', execution(`,"headers":{"${'a'.repeat(129)}":"x"}`), 'nobody'],
  ['a header that the platform sets', execution(',"headers":{"Host":"x"}'), 'server'],
  ['a credential in a header', execution(',"headers":{"X-Api-Key":"0123456789abcdef"}'), 'server'],
  ['http', execution(',"probe":{"url":"http://a.example/"}'), 'server'],
  ['a private host', execution(',"probe":{"url":"https://a.internal/"}'), 'server'],
  ['an input in the host', execution(',"probe":{"url":"https://{{inputs.a}}.example/"}'), 'server'],
  ['a body that is no JSON', execution(',"headers":{"content-type":"application/json"},"body_template":"{"'), 'server'],
  ['an unknown input', execution(',"body_template":"{{inputs.nobody}}"'), 'server'],
  ['a default of another type', input('{"type":"integer","default":"x"}'), 'server'],
  ['an input named like the prototype', input('{}', '__proto__'), 'server'],
  ['an input with a hyphen', input('{}', 'a-b'), 'nobody'],
  ['slo_ms beyond timeout_ms', execution(',"timeout_ms":1000,"slo_ms":1001'), 'nobody'],
  ['slo_ms beyond the default of timeout_ms', execution(',"slo_ms":30001'), 'nobody'],
  ['another version', execution('').replace('v1alpha1', 'v1'), 'nobody'],
];

const swaps: readonly EdgeRow[] = [
  ['the provider itself as fallback', swap('"fallbacks":["main"]'), 'nobody'],
  ['the provider as fallback of another primary', swap('"primary":"x","fallbacks":["main"]'), 'both'],
  ['the primary as fallback', swap('"primary":"x","fallbacks":["x"]'), 'nobody'],
  ['a fallback twice', swap('"fallbacks":["x","x"]'), 'nobody'],
  ['a strategy of later', swap('"strategy":"weighted"'), 'nobody'],
  ['windows in descending order', swap('"latency":{"windows":["5m","2m"]}'), 'nobody'],
  ['no window', swap('"latency":{"windows":[]}'), 'nobody'],
  ['a ramp that does not end', swap('"failback":{"ramp":[10,50]}'), 'nobody'],
  ['a ramp that stands still', swap('"failback":{"ramp":[50,50,100]}'), 'nobody'],
  ['a ramp of one step', swap('"failback":{"ramp":[100]}'), 'both'],
  ['the shortest hold in milliseconds', swap('"dwell":{"hold_down":"30000ms"}'), 'both'],
  ['a hold one millisecond shorter', swap('"dwell":{"hold_down":"29999ms"}'), 'nobody'],
  ['evaluations every other tick', swap('"latency":{"evaluation_interval":"30000ms"}'), 'both'],
  ['evaluations between two ticks', swap('"latency":{"evaluation_interval":"20s"}'), 'nobody'],
  ['a hold of 24 hours', swap('"dwell":{"max":"24h"}'), 'both'],
  ['a hold of 25 hours', swap('"dwell":{"max":"25h"}'), 'nobody'],
  ['a first hold beyond the longest by default', swap('"dwell":{"hold_down":"1h"}'), 'nobody'],
  [
    'as many probes as five minutes hold',
    swap('"probe":{"interval":"100s"},"failback":{"min_probe_samples":3}'),
    'both',
  ],
  ['one probe more', swap('"probe":{"interval":"100s"},"failback":{"min_probe_samples":4}'), 'nobody'],
  [
    'the same without probes',
    swap('"probe":{"mode":"none","interval":"100s"},"failback":{"min_probe_samples":4}'),
    'both',
  ],
  ['a budget that just suffices', swap('"probe":{"interval":"10s","max_per_hour":360}'), 'both'],
  ['a budget that is one short', swap('"probe":{"interval":"10s","max_per_hour":359}'), 'nobody'],
  ['a probe input with a blank in its name', swap('"probe":{"inputs":{"a b":1}}'), 'server'],
  ['synthetic probes of a GET', swap('"probe":{"mode":"synthetic"}'), 'both'],
  [
    'synthetic probes of a POST',
    execution(',"method":"POST","body_template":"x"', ',"swap_config":{"probe":{"mode":"synthetic"}}'),
    'nobody',
  ],
  [
    'synthetic probes of a POST by default',
    execution(',"body_template":"x"', ',"swap_config":{"probe":{"mode":"synthetic"}}'),
    'nobody',
  ],
  [
    'synthetic probes with a request of their own',
    execution(',"body_template":"x","probe":{"method":"GET"}', ',"swap_config":{"probe":{"mode":"synthetic"}}'),
    'both',
  ],
  [
    'synthetic probes of a POST that only say what to expect',
    execution(
      ',"body_template":"x","probe":{"expect":{"status":[200]}}',
      ',"swap_config":{"probe":{"mode":"synthetic"}}',
    ),
    'nobody',
  ],
  [
    'synthetic probes that another provider can not have',
    beside(`"swap_config":{"probe":{"mode":"synthetic"}},${OTHER},"method":"PUT"}}}`),
    'nobody',
  ],
];

const outputs: readonly EdgeRow[] = [
  ...(['/status', '/headers/x', '/body', '/body/a~1b', '/headers'] as const).map((from): EdgeRow => [
    `the output pointer ${from}`,
    execution('').replace('"outputs":{}', `"outputs":{"a":{"from":"${from}"}}`),
    'both',
  ]),
  ...(['/status/1', '/x', '/', '/body/a~2', 'body', '/statusx'] as const).map((from): EdgeRow => [
    `the output pointer ${from}`,
    execution('').replace('"outputs":{}', `"outputs":{"a":{"from":"${from}"}}`),
    'nobody',
  ]),
  ['an output of a provider that the Orb does not have', beside(`${OTHER}},"outputs":{"a":{}}}}`), 'nobody'],
];

const pins: readonly EdgeRow[] = [
  ['a pin to its provider', pin('"provider":"main","expires_at":"2030-01-31T12:00:00Z"'), 'both'],
  [
    'a pin to another provider',
    beside(`"pin":{"provider":"other","expires_at":"2030-01-31T12:00:00.123456789Z"},${OTHER}}}}`),
    'both',
  ],
  ['a pin to nobody', pin('"provider":"nobody","expires_at":"2030-01-31T12:00:00Z"'), 'nobody'],
  ['a pin without end', pin('"provider":"main"'), 'nobody'],
  ...[
    '2030-02-29T12:00:00Z',
    '2030-01-31T24:00:00Z',
    '2030-01-31T12:60:00Z',
    '2030-01-31T12:00:60Z',
    '2030-00-10T12:00:00Z',
    '2030-01-31T12:00:00+01:00',
    '2030-01-31 12:00:00Z',
  ].map((time): EdgeRow => [`a pin until ${time}`, pin(`"provider":"main","expires_at":"${time}"`), 'nobody']),
  ['a pin until a leap day', pin('"provider":"main","expires_at":"2028-02-29T12:00:00Z"'), 'both'],
];

const metadatas: readonly EdgeRow[] = [
  ['the longest name', metadata(`{"name":"${'a'.repeat(253)}"}`), 'both'],
  ['a longer name', metadata(`{"name":"${'a'.repeat(254)}"}`), 'nobody'],
  ['a name with two dots', metadata('{"name":"a..b"}'), 'nobody'],
  ['a generated name', metadata('{"generateName":"a-"}'), 'server'],
  ['unknown metadata', metadata('{"name":"a","namepsace":"b"}'), 'nobody'],
  ['a label of 63 characters', metadata(`{"name":"a","labels":{"a.b/${'c'.repeat(63)}":"${'d'.repeat(63)}"}}`), 'both'],
  ['a label name of 64', metadata(`{"name":"a","labels":{"a.b/${'c'.repeat(64)}":"d"}}`), 'nobody'],
  ['a label with a prefix in upper case', metadata('{"name":"a","labels":{"A.b/c":"d"}}'), 'nobody'],
  ['a label that ends in a hyphen', metadata('{"name":"a","labels":{"a":"b-"}}'), 'nobody'],
  ['a label with a prefix beyond 253', metadata(`{"name":"a","labels":{"${'a.'.repeat(127)}ab/x":"y"}}`), 'core'],
  ['a number as label', metadata('{"name":"a","labels":{"a":1}}'), 'nobody'],
  ['an annotation with a prefix in upper case', metadata('{"name":"a","annotations":{"A.b/c":"d e"}}'), 'both'],
  ['an annotation with a blank in its name', metadata('{"name":"a","annotations":{"a b":"c"}}'), 'nobody'],
  [
    'annotations beyond 256 KiB together',
    metadata(`{"name":"a","annotations":{"a":"${'x'.repeat(200_000)}","b":"${'x'.repeat(100_000)}"}}`),
    'core',
  ],
  [
    'what kubectl prints',
    metadata(
      '{"name":"a","uid":"x","generation":2,"creationTimestamp":null,"managedFields":[]}',
      ',"status":{"conditions":[]}',
    ),
    'both',
  ],
  ['a uid that is a number', metadata('{"name":"a","uid":5}'), 'core'],
  ['a time of creation that is none', metadata('{"name":"a","creationTimestamp":"x"}'), 'core'],
  ['an owner with an unknown member', metadata('{"name":"a","ownerReferences":[{"x":1}]}'), 'core'],
  ['a status with an unknown member', metadata(NAMED, ',"status":{"x":1}'), 'core'],
];

const orbisets: readonly EdgeRow[] = [
  ['an empty Orbiset', orbiset('{}'), 'both'],
  ['an Orbiset without spec', '{"apiVersion":"orbs.dev/v1alpha1","kind":"Orbiset","metadata":{"name":"a"}}', 'nobody'],
  ['an Orbiset with a dot in its name', orbiset('{}', 'a.b'), 'nobody'],
  ['policies of any form', orbiset('{"policies":{"a":{"b":[1]}}}'), 'nobody'],
  ['policies with a member too many', orbiset('{"policies":{"defaultEffect":"deny","a":1}}'), 'nobody'],
  ['policies with both members', orbiset('{"policies":{"defaultEffect":"deny","requireReady":false}}'), 'both'],
  ['a Secret that is bound twice', bound('', ''), 'nobody'],
  ['a URL as host', orbiset('{"vault":{"secrets":[{"name":"s","allowedHosts":["https://a.example"]}]}}'), 'nobody'],
  ['keys as list', keys('["A","b.c"]'), 'both'],
  ['keys as map', keys('{"A":"b.c"}'), 'both'],
  ['256 keys', keys(`[${many(256, (index) => `"k${index}"`)}]`), 'both'],
  ['257 keys', keys(`[${many(257, (index) => `"k${index}"`)}]`), 'nobody'],
  ['a key with a blank', keys('["a b"]'), 'nobody'],
  ['a list as key', keys('[["a"]]'), 'nobody'],
  ['an entry for a key with a blank', keys('{"a":"b c"}'), 'nobody'],
  ['an entry with a blank', keys('{"a b":"c"}'), 'nobody'],
  ['keys as text', keys('"a"'), 'nobody'],
  ['an Orb of another namespace without a name', orbiset('{"orbs":["acme"]}'), 'nobody'],
  ['a rate of a hundredth', orbiset('{"limits":{"rate_per_second":0.01}}'), 'both'],
  ['a rate below', orbiset('{"limits":{"rate_per_second":0.009}}'), 'nobody'],
];

const publications: readonly EdgeRow[] = [
  [
    'a publication',
    publication(
      `"manifest":${MANIFEST},"test_results":{"any":{"thing":[1]}},"test_suites":[{"a":1}],"suspended":false`,
    ),
    'both',
  ],
  ['a publication without report', publication(`"manifest":${MANIFEST}`), 'nobody'],
  ['a publication without manifest', publication('"test_results":{}'), 'nobody'],
  [
    'a publication of a manifest with an unknown member',
    publication(`"manifest":${MANIFEST.replace('"url"', '"uri":1,"url"')},"test_results":{}`),
    'nobody',
  ],
  [
    'a publication with a pin',
    publication(
      `"manifest":${MANIFEST.replace('{', '{"pin":{"provider":"main","expires_at":"2030-01-31T12:00:00Z"},')},"test_results":{}`,
    ),
    'nobody',
  ],
  [
    'a publication that breaks a rule',
    publication(
      `"manifest":${MANIFEST.replace('"inputs"', '"swap_config":{"fallbacks":["main"]},"inputs"')},"test_results":{}`,
    ),
    'nobody',
  ],
  ['null in a report', publication(`"manifest":${MANIFEST},"test_results":{"a":null}`), 'server'],
  [
    '65 suites',
    publication(`"manifest":${MANIFEST},"test_results":{},"test_suites":[${many(65, () => '{}')}]`),
    'nobody',
  ],
];

/**
 * As many names and texts for the rules as the bounds allow: the cost of the rules must stay within a server's budget.
 */
function largest(): string {
  const names = (prefix: string, length: number, value: (name: string) => string): string =>
    many(64, (index) => {
      const name = `${prefix}${index}`.padEnd(length, 'x');
      return `"${name}":${value(name)}`;
    });
  const pointers = names('o', 64, () => `{"from":"/body/${'x'.repeat(506)}"}`);
  const request = (host: string): string =>
    `{"url":"https://${host}.example/","timeout_ms":9000,"slo_ms":9000,"headers":{${names('h', 128, () => '"x"')}}}`;
  const providers = many(15, (index) => `"p${index}":{"execution":${request(`p${index}`)},"outputs":{${pointers}}}`);
  const swapped = `{"primary":"main","fallbacks":[${many(8, (index) => `"p${index}"`)}],"probe":{"mode":"synthetic"}}`;
  return orb(
    NAMED,
    `${IDENTITY},"inputs":{${names('i', 64, () => '{}')}},"outputs":{${pointers}},"execution":${request('main')},"providers":{${providers}},"swap_config":${swapped}`,
  );
}

/** Hand-written documents at the edges of what is valid. */
export const EDGE_ROWS: readonly EdgeRow[] = [
  ...members,
  ...numbers,
  ...texts,
  ...swaps,
  ...outputs,
  ...pins,
  ...metadatas,
  ...orbisets,
  ...publications,
  ['a manifest at all bounds', largest(), 'both'],
];
