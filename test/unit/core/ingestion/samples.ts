import { SAMPLES } from '../../../../core/ingestion/vendors/samples.ts';
import { member } from '../../../../core/json/members.ts';

export { SAMPLE_TIME } from '../../../../core/ingestion/vendors/samples.ts';

/** The body of a sample, byte for byte as its vendor sends it. @throws Error there is no such sample */
export function sampleBody(type: string): string {
  const body = member(SAMPLES, type);
  if (typeof body !== 'string') throw new Error(`no sample of ${type}`);
  return body;
}
