import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { finder, makeCanaries } from '../../integration/standalone/canary-forms.ts';
import { startEcho } from '../../integration/standalone/canary-provider.ts';
import { orbisetDocuments, orbManifest } from '../../support/orbs.ts';
import { startStandalone, type Standalone } from '../../support/standalone.ts';
import { Checks, type Result, type Scenario } from '../scenario.ts';

const SENDINGS = ['json', 'headers', 'text', 'reason'] as const;
const SPELLINGS = ['raw', 'base64', 'url'] as const;

const [secretA, secretB] = makeCanaries();
const secrets = [secretA, secretB].filter((canary) => canary !== undefined);
const find = finder(secrets);

const ENDINGS = [200, 503] as const;

/** `SENDING/SPELLING/STATUS of b` */
const ways = SENDINGS.flatMap((sending) =>
  SPELLINGS.flatMap((spelling) => ENDINGS.map((status) => `${sending}/${spelling}/${status}` as const)),
);
const nameOf = (way: string): string => way.replaceAll('/', '-');
const orbIdOf = (way: string): string => `cnry.${nameOf(way)}@1.0.0`;

const execution = (entry: string | undefined, url: string): Readonly<Record<string, unknown>> => ({
  type: 'http',
  method: 'POST',
  url,
  headers: { 'Content-Type': 'application/json', Authorization: `Bearer {{orbiset.secrets.${entry}}}` },
  body_template: '{}',
  idempotent: true,
  expose_error_body: true,
});

/** a sends its secret back in an error; b sends its own secret back in an answer, or also in an error. */
function orb(way: string, origin: string): string {
  const outputs = { whole: { type: way.startsWith('text') ? 'string' : 'object', from: '/body' } };
  return orbManifest(orbIdOf(way), {
    url: origin,
    outputs,
    execution: execution(secretA?.entry, `${origin}/${way.slice(0, -3)}500`),
    manifest: {
      provider: 'a',
      inputs: {},
      providers: { b: { execution: execution(secretB?.entry, `${origin}/${way}`) } },
      swap_config: { primary: 'a', fallbacks: ['b'], probe: { mode: 'none' } },
    },
  });
}

type Texts = (readonly [place: string, text: string | Buffer])[];

async function collect(standalone: Standalone): Promise<{ readonly texts: Texts; readonly completed: number }> {
  const texts: Texts = [];
  const receipts = new Set<string>();
  let completed = 0;
  for (const way of ways) {
    const orbId = orbIdOf(way);
    for (const query of ['', '?debug=true']) {
      const response = await standalone.post(`/orbisets/default/execute${query}`, { orb_id: orbId, inputs: {} });
      const body = await response.text();
      if (response.status === 200) completed += 1;
      texts.push([`reply ${way}${query}`, `${JSON.stringify([...response.headers])}\n${body}`]);
      for (const [, receipt = ''] of body.matchAll(/"receipt_id":"(rcpt_[^"]+)"/g)) receipts.add(receipt);
    }
    const status = await standalone.get(`/providers/${orbId}/status`);
    texts.push([`status ${way}`, `${status.status} ${await status.text()}`]);
  }
  for (const id of receipts) {
    for (const accept of ['application/json', 'application/jose']) {
      const text = await (await standalone.get(`/receipts/${id}`, { accept })).text();
      const payload = /[\w-]{40,}\.([\w-]{40,})\.[\w-]{40,}/.exec(text)?.[1] ?? '';
      texts.push([`receipt ${id}`, text], [`payload of ${id}`, Buffer.from(payload, 'base64url')]);
    }
  }
  texts.push(['metrics', await (await fetch(standalone.ready.metrics_url)).text()]);
  return { texts, completed };
}

const filesOf = (folder: string): Texts =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/vault/') && !path.includes('/resources/'))
    .map((path) => [path, readFileSync(path)] as const);

async function echoed(): Promise<Result> {
  const checks = new Checks();
  const echo = await startEcho();
  const origin = `http://127.0.0.1:${echo.port}`;
  const vault = Object.fromEntries(secrets.map(({ entry, value }) => [entry, { value, hosts: ['127.0.0.1'] }]));
  const files = Object.fromEntries(ways.map((way) => [`${nameOf(way)}.json`, orb(way, origin)]));
  const standalone = await startStandalone({
    resources: { ...files, 'default.yaml': orbisetDocuments('default', vault) },
    flags: ['--log-level=debug', `--egress-allow=${origin}`],
  });
  try {
    const { texts, completed } = await collect(standalone);
    checks.equal('runs that b completed', completed, ways.length);
    const shown = texts.filter(([place, text]) => place.startsWith('status ') && String(text).startsWith('200 '));
    checks.equal('answers of the status endpoint', shown.length, ways.length);
    const redacted = texts.filter(([, text]) => text.includes(`[redacted:${secretB?.entry}]`));
    checks.atLeast('texts with a redaction', redacted.length, 1);
    await standalone.stop();
    const everything: Texts = [...texts, ['log', standalone.output()], ...filesOf(dirname(standalone.data))];
    checks.atLeast('texts that were searched', everything.length, 50);
    checks.equal(
      'secrets found, in any spelling',
      find(everything).map(({ entry, place }) => `${entry} in ${place}`),
      [],
    );
  } finally {
    await standalone.stop();
    rmSync(dirname(standalone.data), { recursive: true });
    echo.server.closeAllConnections();
    echo.server.close();
  }
  return checks.result();
}

export const s13: Scenario = {
  id: 'S13',
  title: 'the secret comes back in body, header, error: replies, logs, status, receipts, files',
  run: echoed,
};
