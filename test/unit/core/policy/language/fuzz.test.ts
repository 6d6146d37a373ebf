import { expect } from 'chai';
import { rootOf, type FactDefinition } from '../../../../../core/policy/facts/fact-schema.ts';
import { ORB_FACTS } from '../../../../../core/policy/facts/orb-facts.ts';
import { CEL_ENGINE } from '../../../../../core/policy/language/cel-engine.ts';
import { environmentOf } from '../../../../../core/policy/language/check-types.ts';
import type { CompiledPolicy } from '../../../../../core/policy/language/port.ts';
import { isJsonObject, type JsonValue } from '../../../../../core/json/json-value.ts';
import { member } from '../../../../../core/json/members.ts';
import { someRequestFacts } from '../../../../support/policies.ts';
import { randomCondition } from '../../../../support/policy-expressions.ts';
import { aPolicySource } from '../../../../support/policy-sources.ts';
import { seeded } from '../../../../support/seeded.ts';

const RUNS = Number(process.env['ORB_PROPERTY_RUNS'] ?? '500');
const SEED = Number(process.env['ORB_SEED'] ?? '20261120');
const PHASES = ['Request'] as const;
const FACTS = someRequestFacts();

function compiled(when: string): CompiledPolicy | undefined {
  const result = CEL_ENGINE.compile(aPolicySource(when, { phases: PHASES }), ORB_FACTS);
  return result.ok ? result.policy : undefined;
}

/** A fact as the second library takes it. */
function secondForm({ type }: FactDefinition, value: JsonValue): unknown {
  if (type === 'int') return typeof value === 'number' ? BigInt(value) : undefined;
  if (type === 'timestamp') return typeof value === 'string' ? new Date(value) : undefined;
  return isJsonObject(value) ? { ...value } : value;
}

/** The same facts for the second library. */
function secondFacts(): Record<string, Record<string, unknown>> {
  const found: Record<string, Record<string, unknown>> = {};
  for (const definition of ORB_FACTS.facts.values()) {
    const root = rootOf(definition.path);
    const name = definition.path.slice(root.length + 1);
    const value = member(member(FACTS, root), name);
    const part = (found[root] ??= {});
    if (value !== undefined) part[name] = secondForm(definition, value);
  }
  return found;
}

const second = environmentOf(ORB_FACTS);

function secondValue(when: string, facts: Record<string, unknown>): unknown {
  try {
    const value: unknown = second.evaluate(when, facts);
    return value;
  } catch {
    return 'error';
  }
}

/** Times that are whole seconds, in place of those with a fraction. */
const whole = (when: string): string => when.replaceAll('.5Z', 'Z').replaceAll('1.5s', '2s');
/** The least number whose negation is a number, in place of the least number. */
const negatable = (when: string): string => when.replaceAll('-9223372036854775808', '-9223372036854775807');

/**
 * Differences that are errors of the second library, which evaluates nothing in a program.
 * It lets -(-9223372036854775808) overflow, where CEL demands an error: then both agree about -9223372036854775807.
 * It adds and compares negative durations wrongly when they have a fraction of a second: then both agree without it.
 */
function knownError(own: unknown, when: string, facts: Record<string, unknown>): 'overflow' | 'fraction' | undefined {
  const agreesAs = (other: string): boolean =>
    other !== when && compiled(other)?.evaluate(FACTS)[0]?.value === secondValue(other, facts);
  if (own === 'error' && when.includes('-(') && agreesAs(negatable(when))) return 'overflow';
  return agreesAs(whole(when)) ? 'fraction' : undefined;
}

/** What a long run found; a short one says nothing. */
function sayCounts(counts: Readonly<Record<string, number>>): void {
  if (process.env['ORB_PROPERTY_RUNS'] === undefined) return;
  const text = Object.entries({ seed: SEED, expressions: RUNS, ...counts }).map(([what, count]) => `${what} ${count}`);
  process.stdout.write(`    ${text.join(', ')}\n`);
}

describe('policies of any text', function anyText() {
  this.timeout(3_600_000);

  it('mean the same in both libraries', () => {
    const random = seeded(SEED);
    const facts = secondFacts();
    const differences: string[] = [];
    const known = { overflow: 0, fraction: 0 };
    let accepted = 0;
    for (let run = 0; run < RUNS; run += 1) {
      const when = randomCondition(random, ORB_FACTS, 1 + Math.floor(random() * 4));
      const policy = compiled(when);
      if (policy === undefined) continue;
      accepted += 1;
      const own = policy.evaluate(FACTS)[0]?.value;
      const other = secondValue(when, facts);
      if (own === other) continue;
      const reason = knownError(own, when, facts);
      if (reason === undefined) differences.push(`${String(own)} ${String(other)} ${when}`);
      else known[reason] += 1;
    }
    sayCounts({ accepted, ...known, unexplained: differences.length });
    expect(differences).to.deep.equal([]);
    expect(accepted).to.be.above(RUNS / 2);
  });

  it('differ where the second library is wrong about negative fractions of a second', () => {
    const when = 'duration("1.5s") < run.started_at - timestamp("2026-11-20T10:00:00.5Z") + duration("3s")';
    expect([compiled(when)?.evaluate(FACTS)[0]?.value, secondValue(when, secondFacts())]).to.deep.equal([true, false]);
    expect(secondValue(whole(when), secondFacts())).to.equal(true);
  });

  it('never throw, and always say what is wrong', () => {
    const random = seeded(SEED);
    const pieces = [
      '(',
      ')',
      '[',
      '"',
      "'",
      '.',
      ' && ',
      '?',
      ':',
      '{',
      '}',
      'all(',
      'orb',
      '\n',
      '\\x',
      'é😀',
      '1',
      'in ',
      '-',
      '\u{d800}',
    ];
    for (let run = 0; run < RUNS; run += 1) {
      const text = randomCondition(random, ORB_FACTS, 3);
      const at = Math.floor(random() * text.length);
      const piece = pieces[Math.floor(random() * pieces.length)] ?? '';
      const broken = `${text.slice(0, at)}${piece}${text.slice(at + Math.floor(random() * 3))}`;
      const result = CEL_ENGINE.compile(aPolicySource(broken, { phases: PHASES }), ORB_FACTS);
      const places = result.findings.map(
        ({ detail, line = 1, column = 1 }) => detail !== '' && line >= 1 && column >= 1,
      );
      expect(places, broken).to.not.include(false);
      if (result.ok) expect(result.policy.evaluate(FACTS)).to.have.length(1);
      else expect(result.findings, broken).to.not.have.length(0);
    }
  });
});
