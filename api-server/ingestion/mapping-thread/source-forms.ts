import { compileMatch, type MatchRule } from '../../../core/ingestion/incidents/match-entity.ts';
import { compileMapping } from '../../../core/ingestion/mapping/map-payload.ts';
import type { Mapping } from '../../../core/ingestion/vendors/template.ts';
import type { SignalSource } from '../source.ts';
import type { MappingSource } from '../worker/mapping-source.ts';

/** A source as it crosses to the thread: expressions as texts, and nothing that verifies a sender. */
export interface SourceForm extends Omit<MappingSource, 'mapping' | 'match'> {
  readonly mapping: Mapping;
  readonly match: readonly MatchRule[];
}

/** Names each member: a new member of a source must not cross by itself. */
export function sourceForm(source: SignalSource): SourceForm {
  const { namespace, name, type, mode, trust, parser, limits, effects, mapping, match } = source;
  const rules = match.map(({ text, target }) => ({ when: text, target }));
  return { namespace, name, type, mode, trust, parser, limits, effects, mapping: mapping.mapping, match: rules };
}

/** @throws TypeError it does not compile, though it compiled where it came from: a bug */
export function sourceOfForm({ mapping, match, ...rest }: SourceForm): MappingSource {
  const [fields, rules] = [compileMapping(mapping), compileMatch(match)];
  if (!fields.ok || !rules.ok) throw new TypeError(`the source ${rest.namespace}/${rest.name} does not compile`);
  return { ...rest, mapping: fields.mapping, match: rules.rules };
}
