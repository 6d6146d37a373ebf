import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'semver';
import { buildah } from '../../../hack/image/buildah.ts';
import { shippedManifest } from '../../../hack/image/shipped-manifest.ts';
import { loadImage } from '../../../hack/node/node.ts';
import { isRecord, textAt } from '../../../hack/control-plane/json.ts';
import { place } from '../../support/e2e/node.ts';
import { CHARTS, helm } from './release.ts';

/** Both charts of one version, packed as for a release. */
export interface Packages {
  readonly version: string;
  readonly definitions: string;
  readonly platform: string;
}

/** A test's change of the definition of Orbisets: its text → the changed text. */
type Edit = (text: string) => string;

const root = resolve(import.meta.dirname, '../../..');

async function manifest(): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return isRecord(value) ? value : {};
}

/** The version of this checkout. */
export const currentVersion = async (): Promise<string> => textAt(await manifest(), 'version');

/** The version after `steps` minor versions. */
export const laterVersion = (version: string, steps: number): string => {
  const { major = 0, minor = 0 } = parse(version) ?? {};
  return `${major}.${minor + steps}.0`;
};

/** Adds a member to the definition of Orbisets. */
export const withNote: Edit = (text) =>
  text.replace(
    /^( +)spec:\n(?:\1  .*\n)*?\1  properties:\n/m,
    (found, indent: string) =>
      `${found}${indent}    note:\n${indent}      type: string\n${indent}      maxLength: 64\n`,
  );

async function rewrite(file: string, edit: Edit): Promise<void> {
  await writeFile(file, edit(await readFile(file, 'utf8')));
}

/** Packs the charts of this checkout under a version. @param folder where the packages are written */
export async function packCharts(folder: string, version: string, edit: Edit = (text) => text): Promise<Packages> {
  const current = await currentVersion();
  const copy = await mkdtemp(join(tmpdir(), 'orb-charts-'));
  try {
    for (const name of ['orb-crds', 'orb-platform']) {
      await cp(join(CHARTS, name), join(copy, name), { recursive: true, verbatimSymlinks: true });
      await rewrite(join(copy, name, 'Chart.yaml'), (text) =>
        text.replaceAll(`ersion: ${current}`, `ersion: ${version}`),
      );
    }
    await rewrite(join(copy, 'orb-crds/templates/orbiset.yaml'), edit);
    for (const name of ['orb-crds', 'orb-platform']) await helm(['package', join(copy, name), '-d', folder]);
  } finally {
    await rm(copy, { recursive: true });
  }
  const packed = (name: string): string => join(folder, `${name}-${version}.tgz`);
  return { version, definitions: packed('orb-crds'), platform: packed('orb-platform') };
}

/** Loads the image of this checkout into the node under another version, which its programs then report. */
export async function loadImageAs(version: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'orb-image-'));
  const [from, tag] = [`localhost/orb-platform:${await currentVersion()}`, `localhost/orb-platform:${version}`];
  const archive = join(folder, 'image.tar');
  try {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ ...shippedManifest(await manifest()), version }));
    await writeFile(join(folder, 'Dockerfile'), `FROM ${from}\nCOPY --chmod=644 package.json /app/package.json\n`);
    const how = ['--quiet', '--isolation', 'chroot', '--pull-never', '--timestamp', '0', '-t', tag];
    await buildah(['build', ...how, folder]);
    await buildah(['push', '--quiet', tag, `docker-archive:${archive}:${tag}`]);
    await buildah(['rmi', tag]);
    await loadImage(place, archive);
  } finally {
    await rm(folder, { recursive: true });
  }
}
