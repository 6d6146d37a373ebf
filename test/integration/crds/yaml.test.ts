import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { jcs } from '../../../core/json/jcs.ts';
import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { digestOfText } from '../../../core/manifest/digest.ts';
import { parseDocuments } from '../../../core/manifest/parse-text.ts';
import { readJson } from '../../../core/manifest/read-json.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { YAML_ROWS, type YamlRow } from '../../support/crds/yaml-rows.ts';

const AT_ONCE = 4;

const specDigest = (value: JsonValue): string =>
  isJsonObject(value) ? digestOfText(jcs(value['spec'] ?? null)) : 'no object';

/** Digests of the specs that our parser reads, or what it says. */
function ours(text: string): readonly string[] {
  const parsed = parseDocuments(text, 'yaml');
  return parsed.map((result) => (result.ok ? specDigest(result.value) : `refused: ${result.findings[0]?.code ?? ''}`));
}

/** Digests of the specs that kubectl sends. It prints one JSON document after the other. */
async function theirs(plane: ControlPlane, file: string): Promise<readonly string[]> {
  const args = ['create', '--dry-run=client', '--validate=false', '-o', 'json', '-f', file];
  const { code, stdout, stderr } = await plane.kubectl(args);
  if (code !== 0) return [`refused: ${stderr.slice(0, 200)}`];
  return stdout
    .split(/^\}\n/m)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const read = readJson(new TextEncoder().encode(`${part}}`));
      return read.ok ? specDigest(read.value) : `unreadable: ${read.findings[0]?.code ?? ''}`;
    });
}

async function compared(
  plane: ControlPlane,
  folder: string,
  [what, text, expected]: YamlRow,
  index: number,
): Promise<string> {
  const read = ours(text);
  const refused = read.some((part) => part.startsWith('refused'));
  if (refused) return expected === 'refuses' ? '' : `${what}: ours ${read.join(', ')}`;
  const file = join(folder, `${index}.yaml`);
  await writeFile(file, text);
  const sent = await theirs(plane, file);
  if (expected === 'refuses') return `${what}: ours reads it`;
  return sent.join() === read.join() ? '' : `${what}: kubectl ${sent.join(', ')}, ours ${read.join(', ')}`;
}

describe('a YAML file', function suite() {
  this.timeout(300_000);
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orb-yaml-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it(`has one digest for kubectl and for us, or is refused by us (${YAML_ROWS.length} texts)`, async () => {
    const plane = await sharedControlPlane();
    const differences: string[] = [];
    for (let first = 0; first < YAML_ROWS.length; first += AT_ONCE) {
      const batch = YAML_ROWS.slice(first, first + AT_ONCE);
      differences.push(...(await Promise.all(batch.map((row, index) => compared(plane, folder, row, first + index)))));
    }
    expect(differences.filter((difference) => difference !== '')).to.deep.equal([]);
  });
});
