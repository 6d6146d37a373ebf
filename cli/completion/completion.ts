import type { Args } from '../../adapters/process/arguments.ts';
import type { Verb } from '../args/verb.ts';
import { EXIT, usage } from '../io/failure.ts';
import { printable } from '../io/output.ts';

const BASH = `# orb completion bash
_orb() {
  local line word prefix= breaks= rest="\${COMP_LINE:0:COMP_POINT}" c n=0
  local -a words=()
  COMPREPLY=()
  # Bash splits words at @, = and :, which ids and inputs hold: what stands without a space between is joined again.
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [ "$n" -eq 0 ] || [[ "$rest" == [[:space:]]* ]]; then
      words[n]="$word"
      n=$((n + 1))
    else
      words[n - 1]+="$word"
    fi
    rest="\${rest#"\${rest%%[![:space:]]*}"}"
    rest="\${rest#"$word"}"
  done
  # Only what follows the last of these characters is replaced.
  for c in @ = :; do [[ "$COMP_WORDBREAKS" == *"$c"* ]] && breaks+="$c"; done
  word="\${words[n - 1]}"
  [ -n "$breaks" ] && prefix="\${word%"\${word##*[$breaks]}"}"
  while IFS= read -r line; do
    case "$line" in
      :0)
        compopt -o filenames 2>/dev/null
        COMPREPLY+=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
        ;;
      :*) ;;
      *)
        [[ "$line" == *= ]] && compopt -o nospace 2>/dev/null
        COMPREPLY+=("\${line#"$prefix"}")
        ;;
    esac
  done < <(orb __complete "\${words[@]:1}" 2>/dev/null)
}
complete -F _orb orb
`;

const ZSH = `#compdef orb
# orb completion zsh
_orb() {
  local -a lines found
  lines=("\${(@f)$(orb __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)lines:#:*}")
  compadd -- "\${(@)found:#*=}"
  compadd -S '' -- "\${(@M)found:#*=}"
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
  about:
    'kubectl completes kubectl orb by itself when kubectl_complete-orb is in PATH. Ids of Orbs and names of inputs come from the API, if it answers within 2 s.',
  examples: ['{orb} completion bash', '{orb} completion fish'],
  run: async (args, io) => {
    io.out(scriptOf(args));
    return EXIT.ok;
  },
};
