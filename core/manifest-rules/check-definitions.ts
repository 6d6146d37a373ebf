import type { Execution, InputDefinition, Manifest, OutputDefinition } from '../../crds/manifest.ts';
import { repeatPolicyOf } from '../attempts/repeat.ts';
import { childPointer } from '../manifest/child-pointer.ts';
import type { Finding } from '../manifest/finding.ts';
import { nearestName } from '../manifest/nearest.ts';
import { isOfType } from '../manifest/value-type.ts';
import { adviseFrom } from './advise-from.ts';
import { adviseDefault } from './default-advice.ts';
import { executionsOf, type ExecutionPlace } from './executions.ts';

const LISTED_DESCRIPTION = 200;
/** A hostile manifest has a thousand unknown names, and each is compared with every known one. */
const MAX_UNKNOWN = 20;
/** Names that unknown outputs are compared with, in all: each comparison takes up to 20 µs. */
const MAX_COMPARED = 1000;
const TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 1000;
const ANSWER_POINTER = /^\/(?:status|headers|body)(?:\/(?:[^~/]|~[01])*)*$/;

const error = (code: string, pointer: string, detail: string): Finding => ({
  code,
  pointer,
  detail,
  severity: 'error',
});
const warning = (code: string, pointer: string, detail: string): Finding => ({
  code,
  pointer,
  detail,
  severity: 'warning',
});

function ofInput(name: string, { type = 'string', required, default: value }: InputDefinition): readonly Finding[] {
  if (value === undefined) return [];
  const pointer = `${childPointer('/inputs', name)}/default`;
  const wrong = isOfType(value, type) ? [] : [error('manifest-default-type', pointer, adviseDefault(value, type))];
  const useless =
    required === true
      ? [
          warning(
            'manifest-required-default',
            pointer,
            'A required input never takes its default; remove one of the two.',
          ),
        ]
      : [];
  return [...wrong, ...useless];
}

function ofOutputs(outputs: Readonly<Record<string, OutputDefinition>>, pointer: string): readonly Finding[] {
  return Object.entries(outputs).flatMap(([name, { from }]) => {
    if (from === undefined || (ANSWER_POINTER.test(from) && !from.startsWith('/status/'))) return [];
    const { detail, ...more } = adviseFrom(from);
    return [{ ...error('manifest-output-pointer', `${childPointer(pointer, name)}/from`, detail), ...more }];
  });
}

/** The output of a provider that the Orb does not have. */
function unknownOutput(
  { name, pointer }: { readonly name: string; readonly pointer: string },
  known: readonly string[],
): Finding {
  const suggestion = nearestName(name, known);
  const finding = error('schema-additionalProperties', pointer, `"${name}" is no output of this Orb.`);
  return suggestion === undefined ? finding : { ...finding, suggestion };
}

function ofProviderOutputs(manifest: Manifest): readonly Finding[] {
  const known = Object.keys(manifest.outputs);
  const changed = Object.entries(manifest.providers ?? {}).map(([provider, { outputs = {} }]) => ({
    outputs,
    pointer: `${childPointer('/providers', provider)}/outputs`,
  }));
  const unknown = changed.flatMap(({ outputs, pointer }) =>
    Object.keys(outputs)
      .filter((name) => !Object.hasOwn(manifest.outputs, name))
      .map((name) => ({ name, pointer: childPointer(pointer, name) })),
  );
  return [
    ...unknown
      .slice(0, MAX_UNKNOWN)
      .map((one, index) => unknownOutput(one, (index + 1) * known.length <= MAX_COMPARED ? known : [])),
    ...changed.flatMap(({ outputs, pointer }) => ofOutputs(outputs, pointer)),
  ];
}

/** Whether an attempt at another provider follows an attempt that hangs (failover.md §12.2). */
function isFollowed(manifest: Manifest, execution: Execution): boolean {
  const { method, body_template: body, idempotent = false, idempotency_header: idempotencyHeader, retry } = execution;
  const sent = method ?? (body === undefined ? 'GET' : 'POST');
  const hasOthers = Object.keys(manifest.providers ?? {}).some((name) => name !== manifest.provider);
  return (
    hasOthers && retry?.max_attempts !== 1 && repeatPolicyOf({ method: sent, idempotent, idempotencyHeader }).anywhere
  );
}

function ofAttempt(manifest: Manifest, { pointer, execution }: ExecutionPlace): readonly Finding[] {
  const { timeout_ms: total = TIMEOUT_MS, connect_timeout_ms: connect = CONNECT_TIMEOUT_MS } = execution;
  const { attempt_timeout_ms: attempt = 0 } = execution;
  const place = `${pointer}/attempt_timeout_ms`;
  if (attempt > total)
    return [warning('manifest-attempt-timeout', place, 'An attempt ends with the run: write at most timeout_ms.')];
  if (attempt + connect <= total || attempt === 0 || !isFollowed(manifest, execution)) return [];
  const detail =
    'No time is left for an attempt at another provider: write at most timeout_ms less connect_timeout_ms.';
  return [warning('manifest-attempt-timeout', place, detail)];
}

function ofTimeouts(manifest: Manifest): readonly Finding[] {
  return executionsOf(manifest).flatMap((place) => {
    const { pointer, execution } = place;
    const { timeout_ms: total = TIMEOUT_MS, connect_timeout_ms: connect = CONNECT_TIMEOUT_MS } = execution;
    const { slo_ms: slo = 0 } = execution;
    return [
      ...(slo > total ? [error('manifest-slo', `${pointer}/slo_ms`, 'slo_ms is at most timeout_ms.')] : []),
      ...ofAttempt(manifest, place),
      ...(total < 2 * connect
        ? [
            warning(
              'manifest-connect-timeout',
              `${pointer}/timeout_ms`,
              'Less than twice connect_timeout_ms leaves no time for a second attempt.',
            ),
          ]
        : []),
    ];
  });
}

/** Warns about `slo_ms` of a provider: the objective belongs to the Orb, whichever provider answers (trust.md §1.1). */
function ofProviderObjectives(manifest: Manifest): readonly Finding[] {
  const detail =
    'Reserved: slo_ms of the manifest’s own execution counts for every provider, and this one is not read. Remove it.';
  return Object.entries(manifest.providers ?? {}).flatMap(([provider, { execution }]) =>
    execution.slo_ms === undefined
      ? []
      : [warning('manifest-slo-provider', `${childPointer('/providers', provider)}/execution/slo_ms`, detail)],
  );
}

function ofDescription({ description = '' }: Manifest): readonly Finding[] {
  if (description !== '' && description.length <= LISTED_DESCRIPTION) return [];
  return [
    warning(
      'manifest-description',
      '/description',
      `Describe the Orb in 1 to ${LISTED_DESCRIPTION} characters; lists show it.`,
    ),
  ];
}

/**
 * Checks single definitions: defaults, output pointers, deadlines, description (trust.md §8.2, failover.md §11 L11).
 */
export function checkDefinitions(manifest: Manifest): readonly Finding[] {
  return [
    ...Object.entries(manifest.inputs).flatMap(([name, definition]) => ofInput(name, definition)),
    ...ofOutputs(manifest.outputs, '/outputs'),
    ...ofProviderOutputs(manifest),
    ...ofTimeouts(manifest),
    ...ofProviderObjectives(manifest),
    ...ofDescription(manifest),
  ];
}
