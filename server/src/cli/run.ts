import { readFileSync } from 'node:fs'
import { readConfig } from '../config/config.ts'
import { version } from '../process/version.ts'
import { type Command, type Context, type ExitCode, NoServer } from './command.ts'
import { parseLine } from './command-line.ts'
import { commandGroups, commands } from './commands.ts'
import { explain } from './failures.ts'
import { anyoneClient, operatorClient } from './find-server.ts'
import { helpText } from './help.ts'
import { NotStarted, tellStarter } from './process/detach.ts'
import { shellWord } from './process/ready.ts'
import { runningServers } from './running-servers.ts'
import { targetOf } from './target.ts'

/** Where a command's words come from and its lines go to. */
export type Surroundings = Pick<Context, 'line' | 'env' | 'say' | 'note' | 'width' | 'isTerminal' | 'ask'>

/** Does what the line says. Every failure is one line on stderr and an exit code. */
export async function run(surroundings: Surroundings): Promise<ExitCode> {
  let begun: Command | undefined
  try {
    return await runLine(surroundings, (command) => {
      begun = command
    })
  } catch (error) {
    const explained = error instanceof NotStarted ? { line: error.message, exit: error.exit } : explain(error)
    // What the server refuses is about one command; all else is about the line, the settings or the machine.
    surroundings.note(
      begun && explained.exit === 4 ? refusalLine(begun, explained.line) : `quipu: ${explained.line}`,
    )
    if (surroundings.env['QUIPU_LOG'] === 'debug' && error instanceof Error)
      surroundings.note(error.stack ?? '')
    tellStarter({ kind: 'failed', ...explained })
    return explained.exit
  }
}

/** The folder here has no server; the server that is meant may run on another folder. */
function withOthers({ message }: NoServer, env: Surroundings['env']): NoServer {
  const others = runningServers(env).map(({ folder, url }) => `--data ${shellWord(folder)} (${url})`)
  return new NoServer(others.length === 0 ? message : `${message}; running: ${others.join(', ')}`)
}

/** Fields whose flag or argument has another name. */
const namesOfFields: Readonly<Record<string, string>> = {
  account_id: 'account',
  'accounts.cash': 'cash',
  blocks: 'what',
  client_account_id: 'name',
  expires_at: 'expires',
  grace_seconds: 'grace',
  limit: 'direction',
  limit_price: 'limit',
  order_id: 'order',
  pkce_required: 'pkce',
  price: 'symbols',
  privacy_policy: 'privacy',
  redirect_uri: 'redirect',
  refresh_expires_in: 'refresh-lifetime',
  request_id: 'request',
  session_id: 'session',
  'stop_loss.stop_price': 'stop-loss',
  stop_price: 'stop',
  'take_profit.limit_price': 'take-profit',
  terms_of_use: 'terms',
  time_in_force: 'tif',
  token_expires_in: 'token-lifetime',
  url: 'website',
  wallets: 'by-wallet',
  world: 'NAME',
}

/** Names the command, and the flag or the argument where the server names a field. */
function refusalLine(command: Command, line: string): string {
  const [, path = ''] = /^([a-z_]+(?:\[\d+\]|\.[a-z_]+)*): /.exec(line) ?? []
  const fields = path.replace(/\[\d+\]/g, '')
  const typed = typedFor(command, fields) ?? typedFor(command, fields.split('.')[0]!) ?? path
  // Inside a sentence only a word with an underscore is sure to be a field.
  const rest = line
    .slice(path.length)
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => typedFor(command, word) ?? word)
  return `quipu ${command.name}: ${typed}${rest}`
}

/** What a person types for a field of a request: a flag or an argument. */
function typedFor({ flags = {}, arguments: expected = [] }: Command, field: string): string | undefined {
  const other = namesOfFields[field]
  const flag = [field.replaceAll('_', '-'), other].find((name) => name !== undefined && flags[name])
  if (flag !== undefined) return `--${flag}`
  const upper = field.toUpperCase()
  return expected.find(
    ({ name }) => name === upper || name === other || (name === 'ID' && upper.endsWith('_ID')),
  )?.name
}

async function runLine(surroundings: Surroundings, begins: (command: Command) => void): Promise<ExitCode> {
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
  begins(command)
  const target = command.ownFolder ? config : targetOf({ config, sources, env })
  const operator = () => operatorClient(target)
  const anyone = () => anyoneClient(target)
  const context = { ...surroundings, config: target, sources, given, json, operator, anyone }
  return command.run(context).catch((error: unknown) => {
    throw error instanceof NoServer && sources.data.source === 'default' ? withOthers(error, env) : error
  })
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
