interface Written {
  readonly inputs?: string;
  readonly outputs?: string;
  readonly execution: string;
  readonly more?: string;
}

const TS = '  ts: { type: string, from: /body/ts }';

/** A manifest as a person writes it. */
const manifest = (name: string, { inputs = ' {}', outputs = `\n${TS}`, execution, more = '' }: Written): string =>
  `orb_id: day.${name}@1.0.0
provider: one
description: An Orb of the first day.
inputs:${inputs}
outputs:${outputs}
execution:
${execution}
${more}`;

const get = (url: string): string => `  method: GET\n  url: '${url}'`;
const TEXT = '\n  text: { type: string, required: true }';

/** The four Orbs of the first day, by file. */
export const dayOrbs = (origin: string): Readonly<Record<string, string>> => ({
  'notify.yaml': manifest('notify', {
    inputs: TEXT,
    outputs: '\n  status: { type: integer, from: /status }',
    execution: `  url: ${origin}/services/{{orbiset.secrets.CHAT_HOOK:path}}
  headers: { Content-Type: application/json }
  body_template: '{"text":"{{inputs.text}}"}'`,
  }),
  'complete.yaml': manifest('complete', {
    inputs: '\n  prompt: { type: string, required: true }\n  max: { type: integer, default: 100 }',
    outputs:
      '\n  text: { type: string, from: /body/choices/0/message/content }\n  tokens: { type: integer, from: /body/usage/total_tokens }',
    execution: `  url: ${origin}/chat
  headers: { Content-Type: application/json, Authorization: 'Bearer {{orbiset.secrets.MODEL_KEY}}' }
  body_template: '{"content":"{{inputs.prompt}}","max_tokens":{{inputs.max}}}'`,
  }),
  'search.yaml': manifest('search', {
    inputs: '\n  q: { type: string, required: true }',
    outputs: `
  total: { type: integer, from: /body/total }
  items: { type: array, from: /body/items }
  took: { type: number, from: /body/took }
  more: { type: boolean, from: /body/more }`,
    execution: get(`${origin}/search?q={{inputs.q}}`),
  }),
  'translate.yaml': manifest('translate', {
    inputs: TEXT,
    outputs: '\n  text: { type: string, from: /body/text }',
    execution: get(`${origin}/down?t={{inputs.text}}`),
    more: `providers:
  two:
    execution: { method: GET, url: '${origin}/down?u={{inputs.text}}' }
  three:
    execution: { method: GET, url: '${origin}/three?t={{inputs.text}}' }
swap_config:
  fallbacks: [two, three]
`,
  }),
});

/** Orbs that load, and whose runs fail at the provider. */
export const failingOrbs = (origin: string): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    ['html', 'number', 'large', 'limited', 'denied', 'down'].map((name) => [
      `${name}.yaml`,
      manifest(name, { execution: get(`${origin}/${name}`) }),
    ]),
  ),
  'pointer.yaml': manifest('pointer', {
    outputs: '\n  ts: { type: string, from: /body/data/ts }',
    execution: get(`${origin}/message`),
  }),
  'limited-again.yaml': manifest('limited-again', { execution: get(`${origin}/limited`) }),
  'slow.yaml': manifest('slow', { execution: `${get(`${origin}/slow`)}\n  timeout_ms: 1000` }),
  'dns.yaml': manifest('dns', { execution: get('https://no-such-host.example/x') }),
  'guarded.yaml': manifest('guarded', {
    execution: `${get(`${origin}/search`)}\n  headers: { Authorization: 'Bearer {{orbiset.secrets.FAR_KEY}}' }`,
  }),
});

/** Files that do not load, each with one mistake. */
export const wrongFiles = (origin: string): Readonly<Record<string, string>> => ({
  'typo.yaml': manifest('typo', { inputs: TEXT, execution: get(`${origin}/search?q={{input.txt}}`) }),
  'secret-typo.yaml': manifest('secret-typo', { execution: get(`${origin}/search?k={{secrets.KEY}}`) }),
  'default.yaml': manifest('default', {
    inputs: '\n  count: { type: integer, default: "5" }',
    execution: get(`${origin}/search?n={{inputs.count}}`),
  }),
  'tab.yaml': 'orb_id: day.tab@1.0.0\ninputs:\n\ttext: { type: string }\n',
  'brace.yaml': manifest('brace', { inputs: '\n  text: { type: string', execution: get(`${origin}/search`) }),
  'unquoted.yaml': manifest('unquoted', {
    execution: `  url: ${origin}/search\n  headers:\n    Authorization: {{orbiset.secrets.K}}`,
  }),
  'loopback.yaml': manifest('loopback', { execution: get('http://127.0.0.1:9/x') }),
  'no-inputs.yaml': manifest('no-inputs', { execution: get(`${origin}/search`) }).replace('inputs: {}\n', ''),
  'twice-1.yaml': manifest('twice', { execution: get(`${origin}/search`) }),
  'twice-2.yaml': manifest('twice', { execution: get(`${origin}/search`) }),
});
