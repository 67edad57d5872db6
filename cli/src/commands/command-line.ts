import { textBefore } from '@quipu/core/values'
import { flagNames, settingNames } from '@quipu/server/config/config.ts'
import { nearest } from '@quipu/server/config/nearest.ts'
import { flagOf, variableOf } from '@quipu/server/config/setting.ts'
import { type CliCommand, UsageError } from './command.ts'

/** The parsed command line. */
export type ParsedLine =
  | { readonly kind: 'version' }
  /** Help for everything, for a noun, or for one command. */
  | { readonly kind: 'help'; readonly about: string }
  | {
      readonly kind: 'run'
      readonly command: CliCommand
      readonly json: boolean
      /** Settings by name. */
      readonly settings: ReadonlyMap<string, string>
      /** The command's own flags and its arguments, by name. */
      readonly args: ReadonlyMap<string, string>
    }

/** Settings that every command accepts. */
export const commonSettings: readonly string[] = ['url', 'ca', 'data', 'world']
const switches: readonly string[] = ['--json', '--help', '--version']
const settingOfFlag: ReadonlyMap<string, string> = new Map(flagNames.map((name) => [flagOf(name), name]))

/** Flags may be at any position. Throws UsageError. */
export function parseLine(line: readonly string[], commands: readonly CliCommand[]): ParsedLine {
  const { words, flags } = split(line, commands)
  if (flags.has('--version')) return { kind: 'version' }
  if (words[0] === 'help') return helpOn(words.slice(1), commands)
  const command = commandOf(words, commands)
  if (flags.has('--help')) return { kind: 'help', about: command?.name ?? nounOf(words, commands) }
  if (!command) throw new UsageError(unknownCommand(words, commands))
  const settings = new Map<string, string>()
  const args = new Map<string, string>()
  for (const [flag, value] of flags) {
    const ownFlag = command.flags?.[flag.slice(2)]
    const setting = settingOfFlag.get(flag)
    if (ownFlag) args.set(flag.slice(2), value)
    else if (setting && takes(command, setting)) settings.set(setting, value)
    else if (!switches.includes(flag)) throw new UsageError(unknownFlag(flag, command))
  }
  takeArguments(command, words.slice(command.name.split(' ').length), args)
  return { kind: 'run', command, json: flags.has('--json'), settings, args }
}

/** `quipu help`, `quipu help world`, `quipu help world fork` */
function helpOn(words: readonly string[], commands: readonly CliCommand[]): ParsedLine {
  const about = commandOf(words, commands)?.name ?? nounOf(words, commands)
  const isVerbUnknown =
    about !== '' && !about.includes(' ') && words.length > 1 && !commandOf(words, commands)
  if ((about === '' && words.length > 0) || isVerbUnknown)
    throw new UsageError(unknownCommand(words, commands))
  return { kind: 'help', about }
}

const takes = (command: CliCommand, setting: string): boolean =>
  command.settings === 'all' ||
  commonSettings.includes(setting) ||
  command.alsoSettings?.some((name) => name === setting) === true

/** All flags of a command, as they are typed. */
export const flagsOf = (command: CliCommand): readonly string[] => [
  ...Object.keys(command.flags ?? {}).map((name) => `--${name}`),
  ...flagNames.filter((name) => takes(command, name)).map(flagOf),
  ...switches,
]

type Split = { readonly words: readonly string[]; readonly flags: ReadonlyMap<string, string> }

function split(line: readonly string[], commands: readonly CliCommand[]): Split {
  const words: string[] = []
  const flags = new Map<string, string>()
  for (let index = 0; index < line.length; index++) {
    const word = line[index]!
    if (word === '--') return { words: [...words, ...line.slice(index + 1)], flags }
    if (word === '-h') flags.set('--help', '')
    else if (!word.startsWith('-') || isNumber(word)) words.push(word)
    else {
      const equals = word.indexOf('=')
      const flag = equals < 0 ? word : word.slice(0, equals)
      refuseSecret(flag)
      const isSwitch = !takesValue(flag, commands)
      // No error shows the value of a flag that takes none: it may be a secret. Unknown flags are reported later.
      if (equals >= 0 && isKnownSwitch(flag, commands)) throw new UsageError(`${flag} takes no value`)
      const value = isSwitch ? '' : equals >= 0 ? word.slice(equals + 1) : valueAfter(flag, line[++index])
      const before = isRepeatable(flag, commands) ? flags.get(flag) : undefined
      flags.set(flag, before === undefined ? value : `${before}\n${value}`)
    }
  }
  return { words, flags }
}

const isNumber = (word: string): boolean => /^-[\d.]/.test(word)

// A flag takes a value in all commands or in none, so it can be read before the command is known.
const takesValue = (flag: string, commands: readonly CliCommand[]): boolean =>
  settingOfFlag.has(flag) || commands.some(({ flags }) => flags?.[flag.slice(2)]?.placeholder !== undefined)

const isRepeatable = (flag: string, commands: readonly CliCommand[]): boolean =>
  commands.some(({ flags }) => flags?.[flag.slice(2)]?.many === true)

const isKnownSwitch = (flag: string, commands: readonly CliCommand[]): boolean =>
  !takesValue(flag, commands) &&
  (switches.includes(flag) || commands.some(({ flags }) => flags?.[flag.slice(2)] !== undefined))

/** Refused before anything else, because an error about the next word would show the secret. */
function refuseSecret(flag: string): void {
  const setting = settingNames.find((name) => flagOf(name) === flag)
  if (setting === undefined || settingOfFlag.has(flag)) return
  throw new UsageError(
    `${flag} is no flag, because other users of the machine can read flags: set ${variableOf(setting)}_FILE or ${variableOf(setting)}`,
  )
}

function valueAfter(flag: string, next: string | undefined): string {
  if (next === undefined || next.startsWith('--')) throw new UsageError(`${flag}: expected a value after it`)
  return next
}

function commandOf(words: readonly string[], commands: readonly CliCommand[]): CliCommand | undefined {
  const [first, second] = words
  return commands.find(({ name }) => name === first || name === `${first} ${second}`)
}

/** The noun at the start of a line; empty if there is none. */
function nounOf([first = '']: readonly string[], commands: readonly CliCommand[]): string {
  return first !== '' && commands.some(({ name }) => name.startsWith(`${first} `)) ? first : ''
}

function unknownCommand(words: readonly string[], commands: readonly CliCommand[]): string {
  const [first, second] = words
  if (first === undefined) return 'expected a command; `quipu --help` lists them'
  const verbs = commands
    .filter(({ name }) => name.startsWith(`${first} `))
    .map(({ name }) => name.split(' ')[1]!)
  if (verbs.length === 0) {
    const suggestion = nearest(first, [...new Set(commands.map(({ name }) => textBefore(name, ' ')))])
    return `unknown command ${first}${suggestion ? `: did you mean ${suggestion}?` : '; `quipu --help` lists them'}`
  }
  if (second === undefined) return `${first}: expected one of ${verbs.join(', ')}`
  const suggestion = nearest(second, verbs)
  const hint = suggestion ? `did you mean ${suggestion}?` : `expected one of ${verbs.join(', ')}`
  return `unknown command ${first} ${second}: ${hint}`
}

function unknownFlag(flag: string, command: CliCommand): string {
  const suggestion = nearest(flag, flagsOf(command))
  return `unknown flag ${flag}${suggestion ? `: did you mean ${suggestion}?` : `; \`quipu ${command.name} --help\` lists them`}`
}

function takeArguments(command: CliCommand, words: readonly string[], args: Map<string, string>): void {
  const expected = command.arguments ?? []
  for (const [index, { name, optional, many }] of expected.entries()) {
    const word = many && words.length > index ? words.slice(index).join('\n') : words[index]
    if (word !== undefined) args.set(name, word)
    else if (!optional) throw new UsageError(`${command.name}: expected ${name}, e.g. ${command.example}`)
  }
  const extra = expected.at(-1)?.many ? undefined : words[expected.length]
  if (extra !== undefined)
    throw new UsageError(`${command.name}: expected nothing more, received ${JSON.stringify(extra)}`)
}
