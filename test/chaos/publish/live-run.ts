import { at, textAt } from '../../../hack/control-plane/json.ts';
import { jsonOf } from '../../support/suites.ts';
import { isJsonObject } from '../../../core/json/json-value.ts';
import type { CaseOpenings } from '../../../core/test-report/ctrf.ts';
import { lastAnswer } from '../../support/wait-for.ts';
import { send, type Answer, type Caller } from './request.ts';
import { LIVE_INPUTS, type LiveRun, type Version } from './version.ts';

// A version that was just applied is not known at once.
const KNOWN_MS = 30_000;

/** What opens the receipt of an answer. @throws Error the run failed */
function openingsOf({ orbId }: Version, answer: Answer | undefined): CaseOpenings {
  const [input = '', output = ''] = ['input', 'output'].map((side) => textAt(answer?.body, 'openings', side, 'salt'));
  const outputs = jsonOf(at(answer?.body, 'outputs') ?? null);
  if (answer?.status === 200 && isJsonObject(outputs)) return { input_salt: input, output_salt: output, outputs };
  throw new Error(`${orbId} does not run: ${answer?.status} ${answer?.text}`);
}

/** Runs a version through the platform, as a live case does. @throws Error it does not run */
export async function runLive(caller: Caller, orbiset: string, version: Version): Promise<LiveRun> {
  let start = 0;
  const run = (): Promise<Answer | undefined> => {
    start = Date.now();
    const body = { orb_id: version.orbId, inputs: LIVE_INPUTS };
    return send(caller, `/orbisets/${orbiset}/execute`, body).answer;
  };
  const answer = await lastAnswer(run, (found) => found?.status === 200, KNOWN_MS, 100);
  const openings = openingsOf(version, answer);
  return { receiptId: textAt(answer?.body, 'receipt', 'receipt_id'), openings, start, stop: Date.now() };
}
