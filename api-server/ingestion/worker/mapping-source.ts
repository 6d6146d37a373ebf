import type { SignalSource } from '../source.ts';

/** What mapping reads of a source: neither its secrets nor its scheme. */
export type MappingSource = Pick<
  SignalSource,
  'namespace' | 'name' | 'type' | 'mode' | 'trust' | 'mapping' | 'match' | 'parser' | 'limits' | 'effects'
>;
