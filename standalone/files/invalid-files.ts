import { basename } from 'node:path';
import type { ReadFile } from '../../adapters/manifest-folder/read-folder.ts';
import { DEFAULT_NAMESPACE } from '../../core/manifest/documents.ts';
import type { InvalidSource } from '../../core/orb/invalid-source.ts';

function sourceOf({ path, findings, ids }: ReadFile): InvalidSource {
  const { line, detail = '' } = findings.find(({ severity }) => severity === 'error') ?? {};
  const file = basename(path);
  const place = line === undefined ? file : `${file}:${line}`;
  return { namespace: DEFAULT_NAMESPACE, place, ids, fault: detail };
}

/** Files with a document that could not be read, so that its Orb is unknown. What they hold would be in the default namespace. */
export const invalidFiles = (files: readonly ReadFile[]): readonly InvalidSource[] =>
  files.filter(({ broken }) => broken).map(sourceOf);
