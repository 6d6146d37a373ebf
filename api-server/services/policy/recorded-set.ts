import type { Ledger, PolicyVersion } from '../../../adapters/ledger/port.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { listAt } from '../../../core/json/members.ts';
import { policySet, type PolicyInForce, type PolicySet } from '../../../core/policy/decision/policy-set.ts';
import { compileDocumentSteps } from '../../../core/policy/document/compile-document.ts';
import { CEL_ENGINE } from '../../../core/policy/language/cel-engine.ts';
import { inSlices } from '../../http/in-slices.ts';
import { readPolicy } from './policy-body.ts';

/** A policy that a record names, with the version that decided. */
interface NamedVersion {
  readonly namespace: string;
  readonly name: string;
  readonly digest: string;
  readonly enforced: boolean;
}

function namedIn(rule: JsonValue): readonly NamedVersion[] {
  if (!isJsonObject(rule)) return [];
  const { policy, policy_digest: digest, enforced } = rule;
  if (typeof policy !== 'string' || typeof digest !== 'string') return [];
  const [namespace = '', name = ''] = policy.split('/');
  return [{ namespace, name, digest, enforced: enforced === true }];
}

/** The spec that a version was stored with, tests left out. @returns undefined: this program does not read it */
export function storedPolicy({ namespace, name, spec }: PolicyVersion): ReturnType<typeof readPolicy> | undefined {
  const value: unknown = JSON.parse(spec);
  return isJsonObject(value) ? readPolicy({ metadata: { namespace, name }, spec: value }) : undefined;
}

async function inForce(version: PolicyVersion, enforced: boolean, now: number): Promise<PolicyInForce | undefined> {
  const read = storedPolicy(version);
  if (read?.ok !== true) return undefined;
  const { namespace, name } = version;
  const written = { namespace, name, spec: read.value.spec };
  const document = await inSlices(compileDocumentSteps(written, now, CEL_ENGINE));
  // Outside its rollout an enforced policy counts as audited, so the record alone says what held.
  const mode = enforced ? 'Enforce' : 'Audit';
  return document.ok ? { definition: document.definition, compiled: document.compiled, mode } : undefined;
}

/**
 * The policies whose rules a record names, in the versions of then.
 * @param now ms since the epoch
 * @returns undefined: it names none, or one of them is not stored or not readable any more
 */
export async function recordedSet(
  ledger: Pick<Ledger, 'policyVersion'>,
  record: JsonObject,
  now: number,
): Promise<PolicySet | undefined> {
  const named = new Map(
    listAt(record, 'rules')
      .flatMap(namedIn)
      .map((one) => [`${one.namespace}/${one.name}`, one]),
  );
  const found = await Promise.all(
    [...named.values()].map(async ({ namespace, name, digest, enforced }) => {
      const version = await ledger.policyVersion(namespace, name, digest);
      return version && inForce(version, enforced, now);
    }),
  );
  const policies = found.filter((policy) => policy !== undefined);
  return policies.length === 0 || policies.length < found.length ? undefined : policySet(policies, []);
}
