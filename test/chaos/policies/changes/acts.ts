import type { JsonObject } from '../../../../core/json/json-value.ts';
import { lastAnswer, untilTrue } from '../../../support/wait-for.ts';
import type { Act } from './aims.ts';
import { decisionIn, outcomeOf, receiptIn, textIn, type Said } from './client.ts';
import type { PolicyRows } from './rows.ts';
import type { RunningPlatform } from './subject.ts';

/** A policy of one round, on a platform that runs. */
export interface Stage {
  readonly running: RunningPlatform;
  readonly rows: PolicyRows;
  /** Of the policy; it is about runs with this text alone. */
  readonly name: string;
  /** Receives the receipt of each answer. */
  readonly acknowledged: Set<string>;
}

/** What is to be done, and how the ledger shows that it was. */
export interface PreparedAct {
  readonly send: () => Promise<Said>;
  /** The rows of the act are committed. */
  readonly isWritten: (rows: PolicyRows) => boolean;
  /** '' for an act about no decision. */
  readonly decisionId: string;
}

/** A change is in force, and a replay over, within this time, ms. */
export const SETTLED_MS = 20_000;
const GATE = { window: '1h', minReceipts: 1, maxNewDenies: 100_000, maxIndeterminatePercent: 100 };

const ruled = (rule: JsonObject, more: JsonObject): JsonObject => ({
  inputFacts: { text: 'string' },
  rules: [{ name: 'rule', ...rule }],
  ...more,
});

/** Denies runs with this text, once a replay has met its gate. */
const denying = (name: string, message: string): JsonObject =>
  ruled(
    { effect: 'deny', when: `has(inputs.text) && inputs.text == "${name}"`, message },
    { mode: 'Audit', promotion: { requireReplay: GATE } },
  );

const needingApproval = (name: string): JsonObject =>
  ruled(
    {
      effect: 'require',
      when: `has(inputs.text) && inputs.text == "${name}"`,
      obligations: [{ type: 'requireApproval', by: 'policies:approve' }],
    },
    { mode: 'Enforce' },
  );

/** @throws Error another outcome */
export async function expecting(what: string, wanted: string, said: Promise<Said>): Promise<Said> {
  const answer = await said;
  if (outcomeOf(answer) === wanted) return answer;
  throw new Error(`${what}: ${outcomeOf(answer)}, not ${wanted}: ${JSON.stringify(answer.body).slice(0, 300)}`);
}

/** A run of this policy. */
export async function runOf({ running, name, acknowledged }: Stage): Promise<Said> {
  const said = await running.client.run(name);
  const id = receiptIn(said);
  if (id !== undefined) acknowledged.add(id);
  return said;
}

/** Runs until the outcome is this one. @returns the last answer @throws Error it never is */
export async function expectRun(stage: Stage, wanted: string): Promise<Said> {
  const isWanted = (said: Said): boolean => outcomeOf(said) === wanted;
  return expecting(
    `a run of ${stage.name}`,
    wanted,
    lastAnswer(() => runOf(stage), isWanted, SETTLED_MS, 20),
  );
}

/** Replays the newest version to its end. */
export async function replayToEnd({ running: { client }, rows, name }: Stage): Promise<void> {
  const digest = rows.versions(name)[0]?.digest ?? '';
  const started = await expecting(`a replay of ${name}`, '202', client.replay(name, digest));
  const id = textIn(started.body, 'replay_id');
  const statusOf = async (): Promise<string> => textIn((await client.replayed(id)).body, 'status');
  const status = await lastAnswer(statusOf, (last) => last !== 'running', SETTLED_MS);
  if (status !== 'completed') throw new Error(`a replay of ${name} ended as ${status}`);
}

/** A new policy that audits, of which a run is recorded; it can not be enforced before a replay. */
async function createAudited(stage: Stage): Promise<void> {
  const { running, rows, name } = stage;
  await expecting(`creating ${name}`, '201', running.client.create(name, denying(name, 'denied by the test')));
  await untilTrue(`${name} is in force`, () => rows.versions(name).length === 1, SETTLED_MS);
  await expectRun(stage, '200');
  await expecting(`promoting ${name} early`, '409 replay-gate-not-met', running.client.promote(name));
}

async function createEnforced(stage: Stage): Promise<string> {
  const { running, name } = stage;
  await createAudited(stage);
  await replayToEnd(stage);
  const { etag } = await expecting(`promoting ${name}`, '200', running.client.promote(name));
  await expectRun(stage, '403 policy-denied');
  return etag;
}

const isEnforced = (name: string) => (rows: PolicyRows) => rows.versions(name)[0]?.mode === 'Enforce';

async function approval(stage: Stage): Promise<PreparedAct> {
  const { running, name } = stage;
  await expecting(`creating ${name}`, '201', running.client.create(name, needingApproval(name)));
  const decisionId = decisionIn(await expectRun(stage, '403 policy-denied'));
  return {
    send: () => running.client.approve(decisionId),
    isWritten: (rows) => rows.grants(decisionId).length > 0,
    decisionId,
  };
}

const PREPARE: Readonly<Record<Act, (stage: Stage) => Promise<PreparedAct>>> = {
  replay: async (stage) => {
    const { running, rows, name } = stage;
    await createAudited(stage);
    const digest = rows.versions(name)[0]?.digest ?? '';
    const isWritten = (now: PolicyRows): boolean => now.replays(name).length > 0;
    return { send: () => running.client.replay(name, digest), isWritten, decisionId: '' };
  },
  promotion: async (stage) => {
    const { running, name } = stage;
    await createAudited(stage);
    await replayToEnd(stage);
    return { send: () => running.client.promote(name), isWritten: isEnforced(name), decisionId: '' };
  },
  'new version': async (stage) => {
    const { running, name } = stage;
    const etag = await createEnforced(stage);
    const spec = denying(name, 'denied by another version');
    const isWritten = (rows: PolicyRows): boolean => rows.versions(name).length === 2;
    return { send: () => running.client.replace(name, spec, etag), isWritten, decisionId: '' };
  },
  approval,
  deletion: async (stage) => {
    const { running, name } = stage;
    const etag = await createEnforced(stage);
    const isWritten = (rows: PolicyRows): boolean => rows.versions(name).every(({ isInForce }) => !isInForce);
    return { send: () => running.client.remove(name, etag), isWritten, decisionId: '' };
  },
};

/** Does everything that comes before an act. */
export const prepareAct = (stage: Stage, act: Act): Promise<PreparedAct> => PREPARE[act](stage);
