import { readFileSync } from 'node:fs'
import { readConfig } from '../config/config.ts'
import { version } from '../version.ts'
import type { Context, ExitCode } from './command.ts'
import { parseLine } from './command-line.ts'
import { commandGroups, commands } from './commands.ts'
import { NotStarted, tellStarter } from './detach.ts'
import { explain } from './failures.ts'
import { anyoneClient, operatorClient } from './find-server.ts'
import { helpText } from './help.ts'
import { targetOf } from './target.ts'

/** Where a command's words come from and its lines go to. */
export type Surroundings = Pick<Context, 'line' | 'env' | 'say' | 'note' | 'isTerminal' | 'ask'>

/** Does what the line says. Every failure is one line on stderr and an exit code. */
export async function run(surroundings: Surroundings): Promise<ExitCode> {
  let command = ''
  try {
    return await runLine(surroundings, (name) => {
      command = ` ${name}`
    })
  } catch (error) {
    const explained = error instanceof NotStarted ? { line: error.message, exit: error.exit } : explain(error)
    // What the server refuses is about one command; all else is about the line, the settings or the machine.
    surroundings.note(`quipu${explained.exit === 4 ? command : ''}: ${explained.line}`)
    if (surroundings.env['QUIPU_LOG'] === 'debug' && error instanceof Error)
      surroundings.note(error.stack ?? '')
    tellStarter({ kind: 'failed', ...explained })
    return explained.exit
  }
}

async function runLine(surroundings: Surroundings, begins: (command: string) => void): Promise<ExitCode> {
  const { line, env, say, note } = surroundings
  if (line.length === 0) {
    note(helpText('', commandGroups))
    return 2
  }
  const parsed = parseLine(line, commands)
  if (parsed.kind === 'version') return said(say, version)
  if (parsed.kind === 'help') return said(say, helpText(parsed.about, commandGroups))
  const file = quipuJson()
  const { config, sources } = readConfig({
    flags: parsed.settings,
    env,
    ...(file === undefined ? {} : { file }),
    readText: (path) => readFileSync(path, 'utf8'),
  })
  const { command, json, given } = parsed
  begins(command.name)
  const target = command.ownFolder ? config : targetOf({ config, sources, env })
  const operator = () => operatorClient(target)
  const anyone = () => anyoneClient(target)
  return command.run({ ...surroundings, config: target, sources, given, json, operator, anyone })
}

function said(say: (text: string) => void, text: string): 0 {
  say(text)
  return 0
}

/** The settings file of the working folder. */
function quipuJson(): string | undefined {
  try {
    return readFileSync('quipu.json', 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
