import { expect } from 'chai';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../../core/json/json-value.ts';
import { jcs } from '../../../../../core/json/jcs.ts';
import { member } from '../../../../../core/json/members.ts';
import { wholeText } from '../../../../../core/json/shared-text.ts';
import {
  isWithin,
  laterFacts,
  orbFacts,
  requestFacts,
  responseFacts,
} from '../../../../../core/policy/facts/build-facts.ts';
import { PHASES, rootOf } from '../../../../../core/policy/facts/fact-schema.ts';
import { ORB_FACTS } from '../../../../../core/policy/facts/orb-facts.ts';
import type { PreFlightFacts } from '../../../../../core/policy/facts/pre-flight-facts.ts';
import { isSnapshotOf, SALT_BYTES, takeSnapshot } from '../../../../../core/policy/facts/snapshot.ts';
import type { Facts } from '../../../../../core/policy/language/port.ts';
import type { Tier } from '../../../../../core/reputation/criteria.ts';
import type { Confidence } from '../../../../../core/reputation/formula.ts';
import { aPolicy, aRule, factsOfRun } from '../../../../support/policies.ts';
import { seeded } from '../../../../support/seeded.ts';

const RUNS = Number(process.env['ORB_PROPERTY_RUNS'] ?? '500');
const SEED = Number(process.env['ORB_SEED'] ?? '20261120');
const SALT = new Uint8Array(SALT_BYTES);

/** Random values, many of them beyond what a fact may hold. */
class Values {
  readonly random: () => number;
  constructor(seed: number) {
    this.random = seeded(seed);
  }

  readonly pick = <Item>(items: readonly [Item, ...Item[]]): Item =>
    items[Math.floor(this.random() * items.length)] ?? items[0];
  readonly bool = (): boolean => this.random() < 0.5;
  readonly text = (): string =>
    this.pick([
      '',
      'a',
      'acme.mailer@1.2.0',
      '__proto__',
      'é😀',
      '\u{d800}',
      '\0',
      'x'.repeat(2049),
      'constructor',
      'a.b',
    ]);
  readonly number = (): number =>
    this.pick([0, -0, 1, -1, 0.5, Number.NaN, Infinity, 2 ** 53, -(2 ** 53), 65_536, 404]);
  readonly texts = (): readonly string[] =>
    Array.from({ length: this.random() < 0.02 ? 300 : this.pick([0, 1, 2, 3]) }, this.text);
  readonly labels = (): Readonly<Record<string, string>> =>
    Object.fromEntries(this.texts().map((text, index) => [`${text}${index}`, this.text()]));
  json(depth: number): JsonValue {
    const kind = Math.floor(this.random() * (depth > 0 ? 6 : 4));
    if (kind === 0) return this.text();
    if (kind === 1) return this.pick([0, -0, 1, -1, 0.5, 2 ** 53, 1e300]);
    if (kind === 2) return this.bool();
    if (kind === 3) return null;
    return kind === 4 ? [this.json(depth - 1), this.json(depth - 1)] : this.object(depth - 1);
  }
  object(depth: number): JsonObject {
    return Object.fromEntries(Array.from({ length: this.pick([0, 1, 4]) }, () => [this.text(), this.json(depth)]));
  }
}

const maybe = (values: Values): number | undefined => (values.bool() ? values.number() : undefined);

function preFlight(values: Values): PreFlightFacts {
  const { text, texts, labels, bool, pick } = values;
  const published = {
    tier: pick<Tier>(['uncertified', 'gold']),
    score: values.number(),
    confidence: pick<Confidence>(['high', 'provisional']),
    publisherVerified: bool(),
    at: values.number(),
  };
  const names = { orbId: text(), manifestDigest: text(), labels: labels(), hosts: texts(), providers: texts() };
  return factsOfRun({
    orb: orbFacts({ ...names, irreversible: bool(), published: bool() ? published : undefined }, 1_790_000_000_000),
    caller: {
      kind: pick(['api_key', 'service_account', 'anonymous']),
      id: text(),
      scopes: texts(),
      groups: texts(),
      runsToday: maybe(values),
    },
    orbiset: {
      namespace: text(),
      name: text(),
      labels: labels(),
      runsToday: maybe(values),
      orbRunsToday: maybe(values),
    },
    startedAt: Math.floor(values.random() * 4e12),
    hasIdempotencyKey: bool(),
    inputs: values.object(4),
    inputBytes: values.number(),
    inputNames: ['a', 'toString', 'constructor', '__proto__'],
  });
}

const request = (values: Values): Facts =>
  requestFacts({
    provider: values.text(),
    method: values.text(),
    host: values.text(),
    port: values.number(),
    path: values.text(),
    queryNames: values.texts(),
    headerNames: values.texts(),
    secretRefs: values.texts(),
    bodyBytes: values.number(),
  });

const response = (values: Values): Facts =>
  responseFacts({
    status: values.number(),
    bodyBytes: values.number(),
    durationMs: values.number(),
    contentType: values.text(),
    headerNames: values.texts(),
  });

const PATHS = [...ORB_FACTS.facts.values()];
/** A policy that reads every fact, so that each is bound and evaluated. */
const READER = aPolicy({
  match: { phases: ['Response'] },
  rules: PATHS.slice(0, 32).map(({ path }, index) =>
    aRule('deny', `has(${path}) && ${path} == ${path}`, { name: `r${index}` }),
  ),
}).compiled;

/** Facts that are not within the bounds from which costs are computed. */
const beyond = (facts: Facts): readonly string[] =>
  PATHS.flatMap((definition) => {
    const { path } = definition;
    const root = rootOf(path);
    const value = member(member(facts, root), path.slice(root.length + 1));
    return value === undefined || isWithin(definition, value) ? [] : [path];
  });

function parsed(text: string): JsonValue {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : null;
}

describe('facts of any values', function anyFacts() {
  this.timeout(3_600_000);

  it('are within their bounds, have a canonical form and can be evaluated', () => {
    const values = new Values(SEED);
    const faults: string[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const first = preFlight(values);
      if (jcs(first.facts) !== first.text || wholeText(first.shared) !== first.text) faults.push(first.text);
      const parts = [first.facts, request(values), response(values)] as const;
      const facts = parts.reduce((before, added) => laterFacts(before, added));
      faults.push(...beyond(facts));
      for (const [index, added] of parts.entries()) {
        const { digest, facts: text } = takeSnapshot(PHASES[index] ?? 'PreFlight', null, jcs(added), SALT);
        if (!isSnapshotOf(text, SALT, digest) || jcs(parsed(text)) !== text) faults.push(text);
      }
      const odd = READER.evaluate(facts).filter(({ code }) => code !== undefined);
      faults.push(...odd.map(({ rule }) => rule));
    }
    expect(faults).to.deep.equal([]);
  });
});
