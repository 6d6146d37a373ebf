import { isHttpsOrigin } from '../../core/network/https-origin.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, Failure, invalid, usage } from '../io/failure.ts';
import { doneFormat, printDone } from '../args/print-done.ts';
import { printable } from '../io/output.ts';
import { readRoot } from './root-key.ts';
import { trustFile } from './trust-file.ts';
import { pinRoot, readPins } from './trust-store.ts';

function issuerOf(text: string): string {
  if (isHttpsOrigin(text)) return text;
  throw invalid(
    `${printable(text)}: an issuer is an https origin without a path and without :443, such as https://orbs.example`,
  );
}

export const trustAddVerb: Verb = {
  usage: 'ISSUER',
  count: [1, 1],
  flags: [
    { name: 'root', value: 'JWK', text: 'the public root key as a JSON Web Key, or a file with it' },
    { name: 'replace', text: 'replace another root that is pinned for this issuer' },
    OUTPUT,
  ],
  about: 'Compare the printed thumbprint with one that you got from the issuer in another way.',
  examples: ['{orb} trust add https://orbs.example --root root.jwk.json'],
  run: async (args, io) => {
    const format = doneFormat(args);
    const issuer = issuerOf(args.positionals[0] ?? '');
    const text = args.one('root');
    if (text === undefined) throw usage('--root JWK is missing: the root key must come from the issuer');
    const root = await readRoot(text, io);
    const outcome = await pinRoot(io, issuer, root, args.has('replace'));
    if (outcome === 'refused') {
      const known = (await readPins(io)).get(issuer);
      throw new Failure(EXIT.negative, `another root is pinned for ${issuer}`, [
        `pinned  ${known?.root.kid ?? ''}`,
        `given   ${root.kid}`,
        'a changed root is either announced by the issuer or an attack; --replace pins the given one',
      ]);
    }
    const value = { issuer, root: root.kid, pinned_before: outcome === 'known' };
    await printDone(format, value, `${issuer}  root ${root.kid}\n`, io);
    io.err(
      outcome === 'known'
        ? 'it was pinned before\n'
        : `pinned in ${trustFile(io)}; compare the thumbprint with what the issuer says\n`,
    );
    return EXIT.ok;
  },
};
