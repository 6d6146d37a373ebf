import type { Finding } from '../../manifest/finding.ts';
import type { Problem } from './scope.ts';

/** A problem of an expression as a finding of the document. @param pointer where the expression stands */
export function findingOf({ at, ...problem }: Problem, pointer: string, source: string): Finding {
  const before = source.slice(0, at);
  const line = before.split('\n').length;
  return { ...problem, pointer, line, column: at - before.lastIndexOf('\n') };
}
