import type { Args } from '../../adapters/process/arguments.ts';
import type { Verb } from '../args/verb.ts';
import { EXIT, usage } from '../io/failure.ts';
import { printable } from '../io/output.ts';

const BASH = `# orb completion bash
_orb() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :*) [ "$line" = ":0" ] && COMPREPLY+=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")) ;;
      *) COMPREPLY+=("$line") ;;
    esac
  done < <(orb __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o filenames -F _orb orb
`;

const ZSH = `#compdef orb
# orb completion zsh
_orb() {
  local -a lines found
  lines=("\${(@f)$(orb __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)lines:#:*}")
  compadd -a found
  [[ "\${lines[-1]}" == ":0" ]] && _files
}
compdef _orb orb
`;

const FISH = `# orb completion fish
function __orb_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (orb __complete $words[2..-1] 2>/dev/null)
    switch $line
      case ':0'
        __fish_complete_path (commandline -ct)
      case ':*'
      case '*'
        echo $line
    end
  end
end
complete -c orb -f -a '(__orb_complete)'
`;

const SCRIPTS: ReadonlyMap<string, string> = new Map([
  ['bash', BASH],
  ['zsh', ZSH],
  ['fish', FISH],
]);

function scriptOf(args: Args): string {
  const shell = args.positionals[0] ?? '';
  const script = SCRIPTS.get(shell);
  if (script === undefined) throw usage(`${printable(shell)}: completion is for ${[...SCRIPTS.keys()].join(', ')}`);
  return script;
}

export const completionVerb: Verb = {
  usage: 'bash|zsh|fish',
  count: [1, 1],
  flags: [],
  about: 'kubectl completes kubectl orb by itself when kubectl_complete-orb is in PATH.',
  examples: ['{orb} completion bash', '{orb} completion fish'],
  run: async (args, io) => {
    io.out(scriptOf(args));
    return EXIT.ok;
  },
};
