import { compileMapping, type CompiledMapping } from '../../core/ingestion/mapping/map-payload.ts';
import type { Mapping } from '../../core/ingestion/vendors/template.ts';

/** A mapping that is known to compile. */
export function compiledMapping(mapping: Mapping): CompiledMapping {
  const compiled = compileMapping(mapping);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.findings));
  return compiled.mapping;
}
