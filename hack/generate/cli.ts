import { flagsOf } from '../../cli/args/parse-args.ts';
import type { Flag, Verb } from '../../cli/args/verb.ts';
import { verbs } from '../../cli/verbs.ts';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';

const PATH = 'docs/cli.md';

const INTRODUCTION = `# The command line

\`orb\` executes Orbs, shows and verifies their receipts, and looks after keys and secrets: of \`npm start\` and of a cluster.
In a checkout it is called \`npm run -s orb --\`; as \`kubectl-orb\` in \`PATH\` it is \`kubectl orb\`.

## Which API

The first that is there:

1. \`--server URL\`
2. \`--context\`, \`--kubeconfig\`, \`--platform-namespace\` or \`--as-serviceaccount\`: a cluster
3. \`ORB_SERVER\`
4. \`--data DIR\`: the data folder of \`npm start\`
5. what \`orb login\` remembers
6. called as \`kubectl orb\`: the cluster of the kubeconfig
7. the folder \`.orb\` here, which \`npm start\` made
8. the cluster of \`KUBECONFIG\` or \`~/.kube/config\`, or in a pod the one that it runs in
9. \`http://127.0.0.1:8080\`

On a cluster the API is reached by a port-forward to a ready pod behind the Service with the labels
\`app.kubernetes.io/name=orb-platform\` and \`app.kubernetes.io/component=api\` in the platform namespace. You need there: \`get\` and
\`list\` on \`services\` and \`pods\`, \`get\` and \`create\` on \`pods/portforward\`. The authority of the platform's own certificate is taken from the Secret that the
Service names (\`orbs.dev/tls-secret\`); who may not read it gets \`ca.crt\` from somebody who may, and sets
\`NODE_EXTRA_CA_CERTS\`. \`keys\`, \`secrets\` and \`ledger init\` write Secrets by your own rights: they need no API.

## Who calls

1. \`--key-file FILE\` or \`--as-serviceaccount NAMESPACE/NAME\`
2. \`ORB_API_KEY\`
3. the key that belongs to the server: of \`orb login\`, of \`npm start\`
4. on a cluster: a token of your own, if you are a ServiceAccount yourself

Kubernetes makes tokens for another audience (\`orb-api\`) of ServiceAccounts only, and your login to the cluster is never sent
to the platform. So a person has an API key, or calls as a ServiceAccount: \`--as-serviceaccount\` needs \`create\` on
\`serviceaccounts/token\` for it. What it may do then is decided by its own roles (\`create\` on \`orbisets/execute\` …).

## Exit codes

| Code | Meaning |
| --- | --- |
| 0 | done |
| 1 | a negative result: tampered, a run that failed, findings |
| 2 | input that is wrong or can't be decided; something that isn't there or isn't allowed |
| 3 | valid, but not trusted |
| 4 | the service can't be reached, or can't serve |
| 64 | wrong usage |

Results are on standard output, everything else on standard error. Secrets come from files, standard input or the environment,
never from arguments.

## Verbs
`;

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll(/[*_<]/g, String.raw`\$&`);

function flagName({ name, short, value, inline }: Flag): string {
  const behind = value === undefined ? (inline === undefined ? '' : `[=${inline}]`) : ` ${value}`;
  return `\`${short === undefined ? '' : `-${short}, `}--${name}${behind}\``;
}

const flagRow = (flag: Flag): string =>
  `| ${flagName(flag)} | ${cell(flag.text)}${flag.repeats === true ? ' (may be repeated)' : ''} |\n`;

function verbText(verb: Verb): string {
  const usage = `orb ${verb.name} ${verb.usage}`.trimEnd();
  const examples = verb.examples.map((line) => `${line.replaceAll('{orb}', 'orb')}\n`).join('');
  return [
    `### orb ${verb.name}\n`,
    `${cell(verb.summary)}\n`,
    ...(verb.about === undefined ? [] : [`${cell(verb.about)}\n`]),
    `\`\`\`sh\n# ${usage} [flags]\n${examples}\`\`\`\n`,
    `| Flag | |\n| --- | --- |\n${flagsOf(verb).map(flagRow).join('')}`,
  ].join('\n');
}

/** The reference of the command line, from its table of verbs. */
export async function cliArtefacts(root: string): Promise<readonly Artefact[]> {
  const text = [INTRODUCTION, ...verbs.map(verbText)].join('\n');
  return [{ path: PATH, text: await formatted(root, PATH, text) }];
}
