import type { Args } from '../../adapters/process/arguments.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { listAt } from '../../core/json/members.ts';
import { fetchReply } from '../api/answer.ts';
import { withQuery } from '../api/print-page.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { orbIdOf } from '../args/orb-id.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, textAt } from '../io/output.ts';
import { parseInputs } from '../run/inputs.ts';
import { evaluationText } from './evaluation-text.ts';
import { NAMESPACE } from './find-policy.ts';
import { parseFacts } from './given-facts.ts';
import { FILE } from './policy-flags.ts';
import { policiesIn, type SentPolicy } from './policy-files.ts';
import { printRefusal } from './print-refusal.ts';

const TIMEOUT_MS = 30_000;

async function bodyOf(args: Args, policies: readonly SentPolicy[], io: Io): Promise<JsonObject> {
  const orb = args.one('orb');
  if (orb === undefined) throw usage('--orb ORB_ID is missing: the Orb that the request is for');
  const [namespace, orbiset = 'default'] = [args.one('namespace'), args.one('orbiset')];
  const [phase, include] = [args.one('phase'), args.one('include')];
  return {
    orbiset: namespace === undefined ? orbiset : `${namespace}.${orbiset}`,
    orb_id: orbIdOf(orb),
    inputs: await parseInputs(args.all('input'), args.one('input-json'), io),
    facts: await parseFacts(args.all('fact'), io),
    ...(phase === undefined ? {} : { phase }),
    policies: policies.map(({ value }) => value),
    ...(include === undefined ? {} : { include }),
    trace: args.has('trace'),
  };
}

/** The policy that a problem is about, by the pointers of its errors: `/policies/1/spec/…`. */
function indexOfFault(problem: JsonObject): number | undefined {
  const [, index] = /^\/policies\/(\d+)(?:\/|$)/.exec(textAt(listAt(problem, 'errors')[0], 'pointer')) ?? [];
  return index === undefined ? undefined : Number(index);
}

export const policyEvaluateVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [
    { ...FILE, text: 'file or folder with drafts; - is standard input; without it the policies in force are tried' },
    { name: 'orb', value: 'ORB_ID', text: 'the Orb of the request' },
    { name: 'orbiset', value: 'NAME', text: 'Orbiset to run in (default)' },
    { name: 'input', value: 'NAME=TEXT', repeats: true, text: 'an input, as for orb run: name=text or name:=json' },
    { name: 'input-json', value: 'FILE', text: 'file with the inputs as a JSON object' },
    {
      name: 'fact',
      value: 'FACT=TEXT',
      repeats: true,
      text: 'a fact in place of the live one: orb.tier=gold, orbiset.runs_today:=5',
    },
    { name: 'phase', value: 'PHASE', text: 'phase (PreFlight)', values: ['PreFlight', 'Request', 'Response'] },
    {
      name: 'include',
      value: 'WHICH',
      text: 'draft alone, current alone, or both (current+draft)',
      values: ['draft', 'current', 'current+draft'],
    },
    { name: 'trace', text: 'show the values of the parts of each rule that matched or failed' },
    { ...NAMESPACE, text: 'its namespace, for keys of several tenants' },
    ...SERVER_FLAGS,
    OUTPUT,
  ],
  about: `Says what policies would decide about one request. Nothing runs, no secret is read, nothing is stored. A draft counts
as enforced, in place of the policy of its name. Facts that are not given are live, or have defaults.

Exit 1: the request would be denied; 2: a policy or the request is wrong.`,
  examples: [
    "{orb} policy evaluate -f day-budget.yaml --orb acme.mailer@1.2.0 --input to='a@example.org' --fact orbiset.orb_runs_today:=117648 --trace",
    '{orb} policy evaluate --orb acme.mailer@1.2.0 --orbiset prod --include current',
  ],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const policies = args.has('file') ? await policiesIn(args.all('file'), io) : [];
    const body = JSON.stringify(await bodyOf(args, policies, io));
    const server = await findServer(args, io);
    const path = withQuery('policies/evaluate', { namespace: args.one('namespace') });
    const headers = { accept: 'application/json' };
    const reply = await fetchReply(server, { method: 'POST', path, headers, body, timeoutMs: TIMEOUT_MS }, io);
    if (reply.kind === 'problem') {
      const index = indexOfFault(reply.value);
      const at = index === undefined ? undefined : { policy: policies[index], pointer: `/policies/${index}` };
      return printRefusal(reply, at, server, { format, io });
    }
    io.out(format === 'json' || format === 'yaml' ? await dataText(reply.value, format) : evaluationText(reply.value));
    return textAt(reply.value, 'decision') === 'allow' ? EXIT.ok : EXIT.negative;
  },
};
