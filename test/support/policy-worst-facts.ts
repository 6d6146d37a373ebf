import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { rootOf, type FactDefinition } from '../../core/policy/facts/fact-schema.ts';
import { ORB_FACTS } from '../../core/policy/facts/orb-facts.ts';
import type { Facts } from '../../core/policy/language/port.ts';

/** A text of this length that differs from others at its end only: comparisons read all of it. */
const longText = (length: number, index = 0): string => String(index).padStart(length, 'a').slice(-length);

function largest({ type, max, maxLength, maxItems }: FactDefinition): JsonValue {
  const texts = (): readonly string[] => Array.from({ length: maxItems }, (_, index) => longText(maxLength, index));
  switch (type) {
    case 'bool':
      return true;
    case 'int':
      return max;
    case 'timestamp':
      return '2026-11-20T10:00:00.123Z';
    case 'string':
      return longText(maxLength);
    case 'list<string>':
      return texts();
    case 'map<string, string>':
      return Object.fromEntries(texts().map((text) => [text, text]));
    default:
      return type satisfies never;
  }
}

/**
 * Facts as large as the schema allows.
 * @param isThere which facts are present; all when absent. A rule that reads an absent fact makes an error, which is slow.
 */
export function worstFacts(isThere: (definition: FactDefinition) => boolean = () => true): Facts {
  const roots: Record<string, Record<string, JsonValue>> = {};
  for (const definition of ORB_FACTS.facts.values()) {
    const root = rootOf(definition.path);
    const members = (roots[root] ??= {});
    if (isThere(definition)) members[definition.path.slice(root.length + 1)] = largest(definition);
  }
  return roots satisfies JsonObject;
}
