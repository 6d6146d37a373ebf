import { parseArgs } from 'node:util';
import { ensureNodeBase } from './image/base.ts';
import { buildImage, type BuiltImage, type ImageOptions } from './image/build-image.ts';
import { ensurePackages } from './image/buildah.ts';

const HELP = `npm run image -- [options]

Builds the image of operator, API, command line and example provider with buildah, as root, and writes it as an archive to
~/.cache/orb-control-plane. Prints tag, digest, compressed sizes and files as JSON; progress goes to stderr.

  --base IMAGE          what it stands on, with Node 24 at /nodejs/bin/node; releases name the distroless image of Node 24
                        by its digest. Default: a local one like it, of Debian's packages
  --build-base IMAGE    runs npm and the compiler, has a shell. Default: a local one
  --check-reproducible  builds twice without any cached layer and fails unless both have one digest

The time in the image is that of the last commit, or SOURCE_DATE_EPOCH.
`;

/** Compressed size of our own layers: the amount that a node downloads for an update. */
const MAX_OWN_BYTES = 80_000_000;
const USAGE = 64;
const say = (line: string): void => console.error(line);

function print({ tag, digest, ownBytes, baseBytes, archive, sbomFile }: BuiltImage): void {
  console.log(JSON.stringify({ tag, digest, ownBytes, baseBytes, archive, sbom: sbomFile }, null, 2));
}

async function checkReproducible(buildOptions: ImageOptions): Promise<BuiltImage> {
  const first = await buildImage({ ...buildOptions, fresh: true });
  const second = await buildImage({ ...buildOptions, fresh: true });
  if (first.digest === second.digest) return second;
  throw new Error(`the two builds differ: ${first.digest}, ${second.digest}`);
}

const options = {
  base: { type: 'string' },
  'build-base': { type: 'string' },
  'check-reproducible': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

async function run({ values }: ReturnType<typeof parse>): Promise<void> {
  await ensurePackages({ buildah: 'buildah' }, say);
  const base = values.base ?? (await ensureNodeBase(say)).tag;
  const buildOptions: ImageOptions = { base, buildBase: values['build-base'], fresh: false, say };
  const built = values['check-reproducible'] ? await checkReproducible(buildOptions) : await buildImage(buildOptions);
  print(built);
  if (built.ownBytes > MAX_OWN_BYTES)
    throw new Error(`our own layers have ${built.ownBytes} bytes, more than ${MAX_OWN_BYTES}`);
}

const parse = () => parseArgs({ options, allowPositionals: false });

/** Wrong usage has the same exit code as in other programs. */
function read(): ReturnType<typeof parse> | undefined {
  try {
    return parse();
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    process.exitCode = USAGE;
    return undefined;
  }
}

const parsed = read();
if (parsed?.values.help === true) console.log(HELP);
else if (parsed !== undefined)
  await run(parsed).catch((error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
