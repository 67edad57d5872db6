import { readFileSync } from 'node:fs'
import { version } from '@quipu/broker/data-folder/version.ts'
import { errorCode, textBefore } from '@quipu/core/values'
import { readConfig } from '@quipu/server/config/config.ts'
import { shellWord } from '@quipu/server/doctor/shell-word.ts'
import { inputsOf } from './call.ts'
import { type CliCommand, type CommandContext, NoServer } from './command.ts'
import { parseLine } from './command-line.ts'
import { commandGroups, commands } from './commands.ts'
import { failureText } from './failures.ts'
import { anonymousClient, operatorClient } from './find-server.ts'
import { helpText } from './help.ts'
import { NotStarted, notifyParent } from './process/detach.ts'
import { runningServers } from './running-servers.ts'
import { targetOf } from './target.ts'

/** The input and output of a command line. */
export type Terminal = Pick<
  CommandContext,
  'line' | 'env' | 'print' | 'note' | 'width' | 'isTerminal' | 'prompt' | 'umask'
>

/** Runs a command line. Every failure prints one line to stderr and returns an exit code. */
export async function run(terminal: Terminal): Promise<number> {
  let command: CliCommand | undefined
  try {
    return await runLine(terminal, (started) => {
      command = started
    })
  } catch (error) {
    const explained =
      error instanceof NotStarted ? { line: error.message, exit: error.exit } : failureText(error)
    // A refusal of the server is about one command; other failures are about the line, the settings or the machine.
    terminal.note(
      command && explained.exit === 4 ? refusalLine(command, explained.line) : `quipu: ${explained.line}`,
    )
    if (terminal.env['QUIPU_LOG'] === 'debug' && error instanceof Error) terminal.note(error.stack ?? '')
    notifyParent({ kind: 'failed', ...explained })
    return explained.exit
  }
}

/** The default folder has no server; another folder may have the intended one. */
function withOthers({ message }: NoServer, env: Terminal['env']): NoServer {
  const others = runningServers(env).map(({ folder, url }) => `--data ${shellWord(folder)} (${url})`)
  return new NoServer(others.length === 0 ? message : `${message}; running: ${others.join(', ')}`)
}

/** Fields inside the value of a flag. */
const flagsOfInnerFields: Readonly<Record<string, string>> = { 'accounts.cash': 'cash', price: 'symbols' }

/** Names the command, and the flag or argument of the field that the server names. */
function refusalLine(command: CliCommand, line: string): string {
  const [, path = ''] = /^([a-z_]+(?:\[\d+\]|\.[a-z_]+)*): /.exec(line) ?? []
  const fields = path.replace(/\[\d+\]/g, '')
  const typed = typedFor(command, fields) ?? typedFor(command, textBefore(fields, '.')) ?? path
  // Inside a sentence only a word with an underscore is certain to be a field.
  const rest = line
    .slice(path.length)
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => typedFor(command, word) ?? word)
  return `quipu ${command.name}: ${typed}${rest}`
}

/** The flag or argument for a field of a request. */
function typedFor(command: CliCommand, field: string): string | undefined {
  const inputs = inputsOf(command)
  const input =
    inputs.find((one) => one.field === field) ??
    inputs.find(({ name }) => name === flagsOfInnerFields[field] || (name === 'ID' && field.endsWith('_id')))
  return input?.typed
}

async function runLine(terminal: Terminal, onCommand: (command: CliCommand) => void): Promise<number> {
  const { line, env, print, note } = terminal
  if (line.length === 0) {
    note(helpText('', commandGroups))
    return 2
  }
  const parsed = parseLine(line, commands)
  if (parsed.kind === 'version') return printed(print, version)
  if (parsed.kind === 'help') return printed(print, helpText(parsed.about, commandGroups))
  const { config, sources } = readConfig({
    flags: parsed.settings,
    env,
    file: quipuJson(),
    readText: (path) => readFileSync(path, 'utf8'),
  })
  const { command, json, args } = parsed
  onCommand(command)
  const { usesDataFolder = false } = command
  const isLocal = typeof usesDataFolder === 'function' ? usesDataFolder({ args, config }) : usesDataFolder
  const target = isLocal ? config : targetOf({ config, sources, env })
  const operator = () => operatorClient(target)
  const anonymous = () => anonymousClient(target)
  const context = { ...terminal, config: target, sources, args, json, operator, anonymous }
  return command.run(context).catch((error: unknown) => {
    throw error instanceof NoServer && sources.data.source === 'default' ? withOthers(error, env) : error
  })
}

function printed(print: (text: string) => void, text: string): 0 {
  print(text)
  return 0
}

/** The settings file of the working folder. */
function quipuJson(): string | undefined {
  try {
    return readFileSync('quipu.json', 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
