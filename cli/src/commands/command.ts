import type { OperationName } from '@quipu/contract'
import type { Client } from '@quipu/sdk'
import type { Config, Sources } from '@quipu/server/config/config.ts'
import type { SettingGroup } from '@quipu/server/config/setting.ts'
import type { SettingName } from '@quipu/server/config/settings.table.ts'

/** 0 done, 1 failed, 2 usage, 3 no server, 4 refused by the server. */
export type ExitCode = 0 | 1 | 2 | 3 | 4

/** How a word of the command line becomes a field of a request. */
type Input = {
  readonly about: string
  /** Default: the name of the flag or argument, with underscores; null if it is not a field. */
  readonly field?: string | null
  /** The value of the field. Default: the text; true for a switch. Throws UsageError. */
  readonly value?: (text: string, name: string, context: CommandContext) => unknown
}

/** A flag of one command. Without a placeholder it is a switch. */
export type Flag = Input & {
  readonly placeholder?: string
  /** The flag may be repeated. Its values are joined by line breaks. */
  readonly many?: true
}

export type Argument = Input & {
  readonly name: string
  readonly optional?: true
  /** The last argument may take several words, joined by line breaks. */
  readonly many?: true
}

/** One command: the source of parsing, help and reference. */
export type CliCommand = {
  /** `start`, or a noun and a verb: `world fork`. */
  readonly name: string
  readonly about: string
  readonly arguments?: readonly Argument[]
  /** Without the dashes. */
  readonly flags?: Readonly<Record<string, Flag>>
  /** Works on the configured data folder or on another store, never on a server that it looks for. */
  readonly usesDataFolder?: true | ((given: Pick<CommandContext, 'args' | 'config'>) => boolean)
  /** Settings that it accepts as flags, besides url, data and world. */
  readonly settings?: 'all'
  /** Settings that it accepts as flags besides. Its help lists them with its own flags. */
  readonly alsoSettings?: readonly SettingName[]
  /** The groups of settings that its help lists. Default: all groups. */
  readonly shownSettings?: readonly SettingGroup[]
  /** Its arguments are a command line of another program, after `--`. */
  readonly runsProgram?: true
  /** The API operations that it calls. */
  readonly operations?: readonly OperationName[]
  readonly example: string
  /** Returns an ExitCode; `run` returns the exit code of its program. */
  readonly run: (context: CommandContext) => Promise<number>
}

/** The inputs and outputs of a command. */
export type CommandContext = {
  readonly config: Config
  readonly sources: Sources
  /** The positional arguments and the command's own flags, by name. */
  readonly args: ReadonlyMap<string, string>
  readonly json: boolean
  /** The words after `quipu`, as typed. */
  readonly line: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** Prints a line of the result to stdout. */
  readonly print: (text: string) => void
  /** Width of the terminal in characters; unlimited if stdout is a file or a pipe. */
  readonly width: number
  /** Whether stdin and stdout are a terminal. */
  readonly isTerminal: boolean
  /** Asks one question on the terminal. */
  readonly prompt: (question: string) => Promise<string>
  /** The file mode mask of the shell. Programs that a command runs get it. Absent: that of this process. */
  readonly umask?: number | undefined
  /** Prints progress and remarks to stderr. */
  readonly note: (text: string) => void
  /** A client with the operator key; throws NoServer. */
  readonly operator: () => Client
  /** A client without a credential; throws NoServer. */
  readonly anonymous: () => Client
}

/** The command line is wrong. The message is the whole line to print. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** No server was found. The message says where the command looked. */
export class NoServer extends Error {
  override readonly name = 'NoServer'
}

/** A command failed. The message is the whole line to print. */
export class CommandFailed extends Error {
  override readonly name = 'Failed'
}
