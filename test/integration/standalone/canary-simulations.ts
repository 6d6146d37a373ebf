import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { listAt } from '../../../core/json/members.ts';
import { textAt } from '../../support/members.ts';
import type { Standalone } from '../../support/standalone.ts';
import { jsonOf } from '../../support/suites.ts';
import { lastAnswer } from '../../support/wait-for.ts';
import type { Canary } from './canary-forms.ts';
import { DENIED, TELLING_DRAFT } from './canary-policies.ts';

/** A named text. The first word of the name says what it is. */
export type Shown = readonly [place: string, text: string];

/** An Orbiset in the namespace `default`, and an Orb that it may run. */
export interface Simulated {
  readonly platform: Standalone;
  readonly orbiset: string;
  readonly orbId: string;
}

const PAGE = 200;
/** Explanations, of the newest decisions; a key may ask for 60 simulations a minute. */
const MOST_EXPLAINED = 20;
const DAY_MS = 86_400_000;
/** A longer fact is refused; the refusal must not show it either. */
const LONGEST_FACT = 1024;

/** @throws Error another status, with the answer */
async function textOf(what: string, wanted: number | readonly number[], answer: Promise<Response>): Promise<string> {
  const response = await answer;
  const text = await response.text();
  if (![wanted].flat().includes(response.status)) throw new Error(`${what}: ${response.status} ${text.slice(0, 300)}`);
  return text;
}

const objectIn = (text: string): JsonObject => {
  const value = jsonOf(JSON.parse(text));
  return isJsonObject(value) ? value : {};
};
const itemsIn = (text: string): readonly JsonObject[] => listAt(objectIn(text), 'items').filter(isJsonObject);

/** What is tried in each phase: a value that a caller, a template or a provider could have sent. */
const tried = (value: string): readonly JsonObject[] => [
  { phase: 'PreFlight', inputs: { way: DENIED, spelling: value } },
  { phase: 'PreFlight', facts: { inputs: { way: DENIED, spelling: value } } },
  { phase: 'Request', facts: { request: { host: 'api.example', path: `/${value}`, query_names: [value] } } },
  { phase: 'Response', facts: { response: { content_type: value, header_names: [value] } } },
];

/** Dry runs of policies, with traces and a draft. */
export async function evaluations(of: Simulated, canaries: readonly Canary[]): Promise<readonly Shown[]> {
  const shown: Shown[] = [];
  for (const { entry, value } of canaries)
    for (const [index, asked] of tried(value).entries()) {
      const what = `evaluation ${index} of ${entry}`;
      const body = { orbiset: of.orbiset, orb_id: of.orbId, trace: true, policies: [TELLING_DRAFT], ...asked };
      const statuses = value.length > LONGEST_FACT ? [200, 400] : 200;
      shown.push([what, await textOf(what, statuses, of.platform.post('/policies/evaluate', body))]);
    }
  return shown;
}

/** The newest decisions about runs of the Orbiset, as lists and alone, each with its explanation. */
export async function decisionsOf({ platform, orbiset }: Simulated): Promise<readonly Shown[]> {
  const shown: Shown[] = [];
  for (const decision of ['deny', 'allow']) {
    const list = await textOf('list', 200, platform.get(`/decisions?decision=${decision}&limit=${PAGE}`));
    const own = itemsIn(list).filter((item) => item['orbiset'] === `default.${orbiset}`);
    shown.push(...own.map((item): Shown => ['list of decisions', JSON.stringify(item)]));
    for (const item of own.slice(0, MOST_EXPLAINED / 2)) {
      const id = textAt(item, 'decision_id');
      shown.push([`decision ${id}`, await textOf(id, 200, platform.get(`/decisions/${id}`))]);
      // The route has no body.
      const { url, api_key: key } = platform.ready;
      const headers = { authorization: `Bearer ${key}` };
      const explained = fetch(`${url}/decisions/${id}/explain`, { method: 'POST', headers });
      shown.push([`explanation of ${id}`, await textOf(id, 200, explained)]);
    }
  }
  return shown;
}

/** A replay of a draft that denies every run for what it was sent; its result and all pages of its changes. */
export async function replayed({ platform, orbiset }: Simulated): Promise<readonly Shown[]> {
  const now = Date.now();
  const window = { from: new Date(now - DAY_MS).toISOString(), to: new Date(now + 1000).toISOString() };
  const filter = { orbisets: [`default.${orbiset}`] };
  const asked = platform.post('/policies/replay', { policy: TELLING_DRAFT, window, filter });
  const id = textAt(objectIn(await textOf('replay', 202, asked)), 'replay_id');
  const read = (): Promise<string> => textOf(id, 200, platform.get(`/replays/${id}`));
  const result = await lastAnswer(read, (text) => textAt(objectIn(text), 'status') !== 'running');
  if (textAt(objectIn(result), 'status') !== 'completed') throw new Error(result);
  const shown: Shown[] = [[`replay ${id}`, result]];
  for (let cursor: unknown = '0'; typeof cursor === 'string';) {
    const path = `/replays/${id}/changes?limit=${PAGE}&cursor=${cursor}`;
    const page = await textOf(path, 200, platform.get(path));
    shown.push(...itemsIn(page).map((item): Shown => ['change', JSON.stringify(item)]));
    cursor = objectIn(page)['next_cursor'];
  }
  return shown;
}
