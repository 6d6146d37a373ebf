import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildah, IMAGES, output } from './buildah.ts';
import { isRecord } from '../control-plane/json.ts';

/** Digest and sizes of the image as a registry would store it. */
export interface Measured {
  /** Digest of the OCI manifest. */
  readonly digest: string;
  /** Compressed bytes of the layers that the Dockerfile adds. */
  readonly ownBytes: number;
  /** Compressed bytes of the base. */
  readonly baseBytes: number;
  /** /app/sbom.cdx.json of the image. */
  readonly sbom: string;
}

interface Layer {
  readonly digest: string;
  readonly size: number;
}

/** Descriptors under a name of an OCI document. @throws Error the document holds no descriptors */
function descriptors(text: string, name: 'manifests' | 'layers'): readonly Layer[] {
  const document: unknown = JSON.parse(text);
  const list: readonly unknown[] = isRecord(document) && Array.isArray(document[name]) ? document[name] : [];
  const found = list.flatMap((entry) =>
    isRecord(entry) && typeof entry['digest'] === 'string' && typeof entry['size'] === 'number'
      ? [{ digest: entry['digest'], size: entry['size'] }]
      : [],
  );
  if (found.length === 0) throw new Error(`an OCI document without ${name}`);
  return found;
}

const sum = (layers: readonly Layer[]): number => layers.reduce((bytes, { size }) => bytes + size, 0);

/** Writes the image as a registry would receive it, and measures that. @param base its base image */
export async function measure(tag: string, base: string): Promise<Measured> {
  const folder = await mkdtemp(join(IMAGES, '.oci-'));
  try {
    await buildah(['push', '--quiet', tag, `oci:${folder}`]);
    const blob = (digest: string): string => join(folder, 'blobs', ...digest.split(':'));
    const [{ digest } = { digest: '' }] = descriptors(await readFile(join(folder, 'index.json'), 'utf8'), 'manifests');
    const layers = descriptors(await readFile(blob(digest), 'utf8'), 'layers');
    const below = Number(await buildah(['inspect', '-t', 'image', '-f', '{{len .OCIv1.RootFS.DiffIDs}}', base]));
    const own = layers.slice(below);
    const app = own.toSorted((one, other) => other.size - one.size)[0];
    if (app === undefined) throw new Error(`${tag} adds nothing to ${base}`);
    const sbom = await output('tar', ['-xzOf', blob(app.digest), 'app/sbom.cdx.json']);
    return { digest, ownBytes: sum(own), baseBytes: sum(layers.slice(0, below)), sbom };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
