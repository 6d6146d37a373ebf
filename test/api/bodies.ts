import { aSuite, echoManifest, mockCase } from '../support/suites.ts';
import { passed, publicationBody } from '../support/publication-body.ts';
import { digestOf } from '../support/test-reports.ts';

/** Stands for any text, chosen by hooks.py. */
const ANY_TEXT = '$TEXT';
/** Stands for one of few names, so that the same one comes again. */
const ANY_NAME = '$NAME';

const ECHO = { orb_id: 'example.echo@1.0.0', inputs: { text: ANY_TEXT } };
const LOOKUP = { orb_id: 'example.lookup@1.0.0', inputs: { word: ANY_TEXT } };

const rule = (effect: string, when: string): object => ({
  name: 'rule',
  effect,
  when,
  ...(effect === 'require' ? { obligations: [{ type: 'noStore' }] } : {}),
});
const policy = (effect: string, when: string, mode = 'Audit'): object => ({
  metadata: { name: ANY_NAME },
  spec: { mode, rules: [rule(effect, when)] },
});
/** A policy that denies nothing. */
export const POLICY = policy('deny', 'orb.score < 1');
const POLICIES = [
  POLICY,
  policy('allow', 'orb.name == "echo"'),
  policy('require', 'orbiset.runs_today > 3'),
  policy('deny', 'size(request.fields) > 50', 'Enforce'),
];

/** The operation of runs. */
export const EXECUTE = 'POST /orbisets/{id}/execute';

const VERSIONS = 60;

/** Versions that are not published yet. The first publication of each is new, a second one is a repeat. */
const publications = (): readonly unknown[] =>
  Array.from({ length: VERSIONS }, (_, index) => {
    const suites = [aSuite({ cases: [mockCase()] })];
    const body = publicationBody({
      manifest: echoManifest({ orb_id: `acme.echo@1.0.${index}` }),
      suites,
      results: [passed('echo/echo')],
      suiteDigest: digestOf(suites),
    });
    const parsed: unknown = JSON.parse(body);
    return parsed;
  });

const DAY_MS = 86_400_000;
const at = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

/** Bodies that the platform accepts, by operation; the texts above are replaced in them. */
export const validBodies = (): Readonly<Record<string, readonly unknown[]>> => ({
  [EXECUTE]: [ECHO, ECHO, LOOKUP],
  'POST /marketplace/orbs/publish': publications(),
  'POST /policies': POLICIES,
  'PUT /policies/{namespace}/{name}': POLICIES.map((each) => ({ ...each, metadata: {} })),
  'POST /policies/validate': POLICIES.map((each) => ({ policy: each })),
  'POST /policies/evaluate': POLICIES.map((each) => ({ ...ECHO, orbiset: 'default', policies: [each], trace: true })),
  'POST /policies/replay': POLICIES.map((each) => ({ policy: each, window: { from: at(-1), to: at(0) } })),
  'POST /providers/{orb_id}/swap': ['alpha', 'beta'].map((provider) => ({ provider, reason: 'a test', wait_ms: 0 })),
});

/** Operations of which some request must be accepted. */
export const ACCEPTED: readonly string[] = [
  EXECUTE,
  'POST /marketplace/orbs/publish',
  'POST /policies',
  'PUT /policies/{namespace}/{name}',
  'POST /policies/validate',
  'POST /policies/evaluate',
  'POST /policies/replay',
  'POST /providers/{orb_id}/swap',
];
