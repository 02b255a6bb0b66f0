// In this folder: what commands share at the terminal: parsing of what people type, questions, tables, exit codes, completion.
// mintmark completion: scripts for shells. Each reads the words before the cursor, finds the command that they name, and offers what
// can follow it; they call no program, so that they answer at once.
import { Argument, type Command, type Option } from 'commander'
import { addExamples } from './examples.ts'
import { printLine } from './print.ts'

// What can follow what on the command line, read from the commands themselves.

type Word = { readonly text: string; readonly description: string }

type OptionWord = Word & {
  readonly takesValue: boolean
  /** Where only these will do; empty where any value may. */
  readonly choices: readonly string[]
}

type Place = {
  /** The commands so far, each with a space before it; empty before the first. */
  readonly path: string
  readonly commands: readonly Word[]
  readonly options: readonly OptionWord[]
  /** The choices for its first argument. */
  readonly choices: readonly string[]
}

const optionOf = ({ long, short, description, required, optional, argChoices }: Option): OptionWord => ({
  text: long ?? short ?? '',
  description,
  takesValue: required || optional,
  choices: argChoices ?? [],
})

const placesBelow = (command: Command, path: string): readonly Place[] => {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const here = {
    path,
    commands: commands.map(one => ({ text: one.name(), description: one.description() })),
    options: help.visibleOptions(command).map(optionOf),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  }
  return [here, ...commands.flatMap(one => placesBelow(one, `${path} ${one.name()}`))]
}

/** Every command, from the program itself on. */
export const placesOf = (program: Command): readonly Place[] => placesBelow(program, '')

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const quoteForFish = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const textsOf = (words: readonly Word[]): readonly string[] => words.map(({ text }) => text)

const paths = (places: readonly Place[]): readonly string[] => places.map(({ path }) => path).filter(Boolean)

type Value = { readonly place: Place; readonly option: OptionWord }

const valuesOf = (places: readonly Place[]): readonly Value[] =>
  places.flatMap(place => place.options.filter(({ takesValue }) => takesValue).map(option => ({ place, option })))

const afterOption = ({ place, option }: Value): string => quote(`${place.path} ${option.text}`)

const offeredAt = ({ commands, choices, options }: Place): readonly string[] => [
  ...textsOf(commands),
  ...choices,
  ...textsOf(options),
]

const bash = (places: readonly Place[]): string => {
  const values = valuesOf(places)
  const chosen = values
    .filter(({ option }) => option.choices.length > 0)
    .map(value => `    ${afterOption(value)}) offered=${quote(value.option.choices.join(' '))} ;;`)
  const free = values.filter(({ option }) => option.choices.length === 0).map(afterOption)
  const offers = places.map(place => `        ${quote(place.path)}) offered=${quote(offeredAt(place).join(' '))} ;;`)
  return `# Completion of mintmark in bash: source <(mintmark completion bash)
_mintmark() {
  local line=\${COMP_LINE:0:COMP_POINT} path= offered= word last
  local -a words
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  last=$((\${#words[@]} - 1))
  local current=\${words[last]}
  for word in "\${words[@]:1:last-1}"; do
    case "$path $word" in
    ${paths(places).map(quote).join('|')}) path="$path $word" ;;
    esac
  done
  case "$path \${words[last-1]}" in
${chosen.join('\n')}
    ${free.join('|')}) return ;;
    *)
      case "$path" in
${offers.join('\n')}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
  # Bash takes what stands before a colon for a word of its own, and replaces only what follows.
  if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
    COMPREPLY=("\${COMPREPLY[@]#"\${current%"\${current##*:}"}"}")
  fi
}
complete -o default -F _mintmark mintmark`
}

const describeForZsh = ({ text, description }: Word): string =>
  quote(`${text.replaceAll(':', '\\:')}:${description.replaceAll(':', '\\:')}`)

const zsh = (places: readonly Place[]): string => {
  const values = valuesOf(places)
  const chosen = values
    .filter(({ option }) => option.choices.length > 0)
    .map(value => `    (${afterOption(value)}) compadd -- ${value.option.choices.map(quote).join(' ')}; return ;;`)
  const free = values.filter(({ option }) => option.choices.length === 0).map(afterOption)
  const offers = places.map(({ path, commands, choices, options }) => {
    const words = [...commands, ...choices.map(text => ({ text, description: '' })), ...options]
    return `    (${quote(path)}) offered=(${words.map(describeForZsh).join(' ')}) ;;`
  })
  return `#compdef mintmark
# Completion of mintmark in zsh: source <(mintmark completion zsh), or a file _mintmark in a folder of $fpath.
_mintmark() {
  local place= word
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
    (${paths(places).map(quote).join('|')}) place="$place $word" ;;
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${chosen.join('\n')}
    (${free.join('|')}) _files; return ;;
  esac
  case "$place" in
${offers.join('\n')}
  esac
  _describe mintmark offered
}
if [[ $funcstack[1] == _mintmark ]]; then _mintmark "$@"; else compdef _mintmark mintmark; fi`
}

const fishLine = (path: string, rest: string): string =>
  `complete -c mintmark -n 'test (__mintmark_place) = "at${path}"' ${rest}`

const fishOption = ({ text, description, takesValue, choices }: OptionWord): string => {
  const name = text.startsWith('--') ? `-l ${text.slice(2)}` : `-s ${text.slice(1)}`
  const value = choices.length > 0 ? ` -x -a ${quoteForFish(choices.join(' '))}` : takesValue ? ' -r' : ''
  return `${name}${value} -d ${quoteForFish(description)}`
}

const fish = (places: readonly Place[]): string => {
  const lines = places.flatMap(({ path, commands, choices, options }) => [
    fishLine(path, '-f'),
    ...commands.map(({ text, description }) => fishLine(path, `-a ${text} -d ${quoteForFish(description)}`)),
    ...choices.map(choice => fishLine(path, `-a ${choice}`)),
    ...options.map(option => fishLine(path, fishOption(option))),
  ])
  return `# Completion of mintmark in fish: mintmark completion fish | source
function __mintmark_place
  set -l place at
  for word in (commandline -opc)[2..-1]
    switch "$place $word"
      case ${paths(places)
        .map(path => quoteForFish(`at${path}`))
        .join(' ')}
        set place "$place $word"
    end
  end
  echo $place
end
${lines.join('\n')}`
}

export const PROGRAMS = { bash, zsh, fish } as const

const SHELLS = Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[]

export const addCompletion = (program: Command): void => {
  const command = program
    .command('completion')
    .description('print a script that completes commands, options and choices in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
  addExamples(command, ['source <(mintmark completion bash)', 'mintmark completion fish > mintmark.fish']).action(
    (shell: keyof typeof PROGRAMS) => printLine(PROGRAMS[shell](placesOf(program))),
  )
}
