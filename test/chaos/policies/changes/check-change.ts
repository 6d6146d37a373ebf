import { lastAnswer } from '../../../support/wait-for.ts';
import { expecting, expectRun, replayToEnd, runOf, SETTLED_MS, type PreparedAct, type Stage } from './acts.ts';
import type { Act } from './aims.ts';
import { outcomeOf, textIn, type Said } from './client.ts';
import type { PolicyRows } from './rows.ts';
import type { ChangeSubject } from './subject.ts';

/** An act that was cut short, on a platform that was started again. */
export interface Struck {
  readonly subject: ChangeSubject;
  readonly stage: Stage;
  readonly act: Act;
  readonly prepared: PreparedAct;
  /** Undefined: no answer came. */
  readonly answer: Said | undefined;
}

/** The answer of an act that was done. */
const DONE: Readonly<Record<Act, string>> = {
  replay: '202',
  promotion: '200',
  'new version': '200',
  approval: '201',
  deletion: '204',
};
const RACERS = 10;

/** How replays contradict themselves: one that ended early, yet counts, or one that counts twice or not. */
export function replayFaults(rows: Pick<PolicyRows, 'replays'>, name: string): readonly string[] {
  return rows.replays(name).flatMap(({ replayId, status, isSigned, counted }) => {
    const isComplete = status === 'completed';
    const faults = [
      ...(isComplete || status === 'aborted' ? [] : [`is ${status} after its process was killed`]),
      ...(counted === (isComplete ? 1 : 0) ? [] : [`is ${status} and counts ${counted} times`]),
      ...(isSigned === isComplete ? [] : [`is ${status}, and ${isSigned ? '' : 'not '}signed`]),
    ];
    return faults.map((fault) => `${replayId} ${fault}`);
  });
}

/** A replay that was acknowledged must be there, as its row says. */
async function replayIsLost({ stage }: Struck, answer: Said): Promise<readonly string[]> {
  const { running, rows, name } = stage;
  const id = textIn(answer.body, 'replay_id');
  const found = await running.client.replayed(id);
  const status = textIn(found.body, 'status');
  const row = rows.replays(name).find(({ replayId }) => replayId === id);
  return row !== undefined && row.status === status
    ? []
    : [`${id} was acknowledged and is ${outcomeOf(found)} ${status}`];
}

/** A change that was acknowledged must be there. */
async function changeIsLost({ stage, act }: Struck, answer: Said): Promise<readonly string[]> {
  const found = await stage.running.client.policy(stage.name);
  const mode = act === 'promotion' ? 'Enforce' : 'Audit';
  const isChanged = textIn(found.body, 'spec', 'mode') === mode && found.etag === answer.etag;
  const isThere = act === 'deletion' ? found.status === 404 : isChanged;
  return isThere ? [] : [`the ${act} of ${stage.name} was acknowledged and is lost: ${outcomeOf(found)} ${found.etag}`];
}

/** The caller had the answer: what it says must be there. */
async function acknowledgedFaults(struck: Struck): Promise<readonly string[]> {
  const { stage, act, answer } = struck;
  if (answer === undefined) return [];
  const said = outcomeOf(answer);
  if (said !== DONE[act]) return [`the ${act} of ${stage.name} was answered with ${said}`];
  if (act === 'replay') return replayIsLost(struck, answer);
  return act === 'approval' ? [] : changeIsLost(struck, answer);
}

/** Generation and mode of the policy, as its object says it; '' when it is gone. */
function objectText({ status, etag, body }: Said): string {
  const generation = /\.(\d+)"$/.exec(etag)?.[1] ?? '';
  return status === 404 ? '' : `${generation} ${textIn(body, 'spec', 'mode')}`;
}

/** How the row in force contradicts the object, and whether the log says who made it so. */
async function versionFaults({ subject, stage: { running, rows, name } }: Struck): Promise<readonly string[]> {
  const object = objectText(await running.client.policy(name));
  const inForce = (): string => {
    const found = rows.versions(name).filter(({ isInForce }) => isInForce);
    return found.map(({ generation, mode }) => `${generation} ${mode}`).join(', ');
  };
  const row = await lastAnswer(inForce, (last) => last === object, SETTLED_MS, 20);
  const faults = row === object ? [] : [`${name} is "${object}", and its row in force "${row}"`];
  const policy = `${subject.namespace}/${name}`;
  const [generation = '', mode = ''] = object.split(' ');
  const isSaid = (): boolean =>
    subject
      .log()
      .split('\n')
      .some((line) =>
        object === ''
          ? line.includes('not in force any more') && line.includes(policy)
          : line.includes('takes force') && [policy, mode, generation].every((part) => line.includes(part)),
      );
  if (!(await lastAnswer(isSaid, (said) => said, SETTLED_MS, 20)))
    faults.push(`no line says that ${policy} is "${object}"`);
  const active = rows.versions(name).find(({ isInForce }) => isInForce)?.digest ?? '';
  const shown = await lastAnswer(
    () => subject.shown(name),
    (last) => last === undefined || last === active,
    SETTLED_MS,
    100,
  );
  if (shown !== undefined && shown !== active) faults.push(`the status of ${policy} shows ${shown}, not ${active}`);
  return faults;
}

/** Whether a finished replay of the newest version counts. */
const isGateMet = ({ rows, name }: Stage): boolean => {
  const digest = rows.versions(name)[0]?.digest;
  return rows.replays(name).some((replay) => replay.digest === digest && replay.counted > 0);
};

/** Does again what was cut short, as its caller would, up to an enforced policy; then deletes it. */
async function finishPolicy(stage: Stage, generations: number): Promise<void> {
  const { running, name } = stage;
  const before = await running.client.policy(name);
  if (before.status === 404) return void (await expectRun(stage, '200'));
  const isEnforced = textIn(before.body, 'spec', 'mode') === 'Enforce';
  await expectRun(stage, isEnforced ? '403 policy-denied' : '200');
  const wanted = isGateMet(stage) ? '200' : '409 replay-gate-not-met';
  await expecting(`promoting ${name} again`, wanted, running.client.promote(name));
  if (wanted !== '200') {
    await replayToEnd(stage);
    await expecting(`promoting ${name} after a replay`, '200', running.client.promote(name));
  }
  await expectRun(stage, '403 policy-denied');
  const { etag } = await expecting(`reading ${name}`, '200', running.client.policy(name));
  const generation = Number(/\.(\d+)"$/.exec(etag)?.[1]);
  if (generation > generations) throw new Error(`${name} has generation ${generation}: a change was made twice`);
  await expecting(`deleting ${name}`, '204', running.client.remove(name, etag));
  await expectRun(stage, '200');
}

/** Approves again; then ten runs race for the one approval. */
async function finishApproval({ stage, prepared, answer }: Struck): Promise<readonly string[]> {
  const { running, rows, name } = stage;
  const { decisionId } = prepared;
  const isGranted = rows.grants(decisionId).length > 0;
  if (answer !== undefined && !isGranted) return [`the approval of ${decisionId} was acknowledged and is lost`];
  const wanted = isGranted ? '409 approval-not-open' : '201';
  await expecting(`approving ${name} again`, wanted, running.client.approve(decisionId));
  const answers = await Promise.all(Array.from({ length: RACERS }, () => runOf(stage)));
  const outcomes = answers.map(outcomeOf);
  const ran = outcomes.filter((said) => said === '200').length;
  const denied = outcomes.filter((said) => said === '403 policy-denied').length;
  const { etag } = await running.client.policy(name);
  await expecting(`deleting ${name}`, '204', running.client.remove(name, etag));
  const used = rows.grants(decisionId);
  return [
    ...(ran === 1 && denied === RACERS - 1
      ? []
      : [`${ran} of ${RACERS} runs used one approval: ${outcomes.join(', ')}`]),
    ...(used.length === 1 && used[0] !== '' ? [] : [`${decisionId} has grants used by "${used.join('", "')}"`]),
  ];
}

/** Generations that a policy may have when everything was done once. */
const GENERATIONS: Readonly<Record<Exclude<Act, 'approval'>, number>> = {
  replay: 2,
  promotion: 2,
  'new version': 4,
  deletion: 2,
};

/** Everything that is wrong after a kill; it ends without the policy. */
export async function checkChange(struck: Struck): Promise<readonly string[]> {
  const { rows, name } = struck.stage;
  const faults = [...replayFaults(rows, name), ...(await acknowledgedFaults(struck)), ...(await versionFaults(struck))];
  if (struck.act === 'approval') return [...faults, ...(await finishApproval(struck))];
  await finishPolicy(struck.stage, GENERATIONS[struck.act]);
  return [...faults, ...replayFaults(rows, name)];
}
