import { flagMeaning, flagName } from '../../adapters/process/help.ts';
import { flagsOf } from '../../cli/args/parse-args.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import type { VerbEntry } from '../../cli/args/verb.ts';
import { verbs } from '../../cli/verbs.ts';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';

const PATH = 'docs/cli.md';

const INTRODUCTION = `# The command line

With \`orb\` you execute Orbs, show and verify their receipts, and manage keys and secrets, with \`npm start\` and on a cluster.
In a checkout you call it \`npm run -s orb --\`. With \`kubectl-orb\` in your \`PATH\` it is \`kubectl orb\`.

## Which API

\`orb\` uses the first of these that exists:

1. \`--server URL\`
2. \`--context\`, \`--kubeconfig\`, \`--platform-namespace\` or \`--as-serviceaccount\`: a cluster
3. \`ORB_SERVER\`
4. \`--data DIR\`: the data folder of \`npm start\`
5. the server that \`orb login\` saved
6. the cluster of the kubeconfig, when called as \`kubectl orb\`
7. the folder \`.orb\` here, which \`npm start\` made
8. the cluster of \`KUBECONFIG\` or \`~/.kube/config\`, or in a pod the one that it runs in
9. \`http://127.0.0.1:8080\`

When the folder \`.orb\` decides, \`orb\` says on stderr which address it calls and which file has it: you did not name it. A
saved login is what you chose, so nothing is said about it. When nothing answers, the message names the source in any case.

On a cluster \`orb\` reaches the API by a port-forward to a ready pod. It finds the pod by the Service with the labels
\`app.kubernetes.io/part-of=orb-platform\` and \`app.kubernetes.io/component=api\` in the platform namespace. There you need \`get\`
and \`list\` on \`services\` and \`pods\`, and \`get\` and \`create\` on \`pods/portforward\`.

The Service names the Secret with the platform's own authority (\`orbs.dev/tls-secret\`). If you may not read that Secret, get
\`ca.crt\` from your administrator and set \`NODE_EXTRA_CA_CERTS\`. \`keys\`, \`secrets\` and \`ledger init\` write Secrets with your
own rights and need no API.

## Who calls

1. \`--key-file FILE\` or \`--as-serviceaccount NAMESPACE/NAME\`
2. \`ORB_API_KEY\`
3. the saved key of the server: from \`orb login\` or \`npm start\`
4. on a cluster: a token of your own, if you are a ServiceAccount yourself

\`orb\` never sends your login to the cluster to the platform, and Kubernetes makes tokens for the platform (audience
\`orb-api\`) only for ServiceAccounts. So you need an API key, or you call as a ServiceAccount. \`--as-serviceaccount\` needs
\`create\` on \`serviceaccounts/token\` for it. The roles of the ServiceAccount then decide what you may do (\`create\` on
\`orbisets/execute\` …).

## Exit codes

| Code | Meaning |
| --- | --- |
| 0 | success |
| 1 | a negative result: a tampered receipt, a failed run, findings |
| 2 | wrong or undecidable input; something that doesn't exist or isn't allowed |
| 3 | valid, but not trusted |
| 4 | the service can't be reached, or can't serve |
| 64 | wrong usage |

Results are on standard output, everything else on standard error. Secrets come from files, standard input or the environment,
never from arguments.

## Files of its own

An installed \`orb\` keeps its compiled code in \`~/.cache/orb\` (\`XDG_CACHE_HOME\`), so that it starts faster. You may delete
that folder at any time. \`NODE_DISABLE_COMPILE_CACHE=1\` switches the cache off.

## Verbs
`;

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll(/[*_<]/g, String.raw`\$&`);

const flagRow = (flag: Flag): string => `| \`${flagName(flag)}\` | ${cell(flagMeaning(flag))} |\n`;

async function verbText({ name, summary, load }: VerbEntry): Promise<string> {
  const verb = await load();
  const usage = `orb ${name} ${verb.usage}`.trimEnd();
  const examples = verb.examples.map((line) => `${line.replaceAll('{orb}', 'orb')}\n`).join('');
  return [
    `### orb ${name}\n`,
    `${cell(summary)}\n`,
    ...(verb.about === undefined ? [] : [`${cell(verb.about)}\n`]),
    `\`\`\`sh\n# ${usage} [flags]\n${examples}\`\`\`\n`,
    `| Flag | |\n| --- | --- |\n${flagsOf(verb).map(flagRow).join('')}`,
  ].join('\n');
}

/** The reference of the command line, from its list of verbs. */
export async function cliArtefacts(root: string): Promise<readonly Artefact[]> {
  const text = [INTRODUCTION, ...(await Promise.all(verbs.map(verbText)))].join('\n');
  return [{ path: PATH, text: await formatted(root, PATH, text) }];
}
