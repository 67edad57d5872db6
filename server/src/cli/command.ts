import type { OperationName } from '@quipu/contract'
import type { Client } from '@quipu/sdk'
import type { Config, Sources } from '../config/config.ts'

/** 0 done, 1 failed, 2 usage, 3 no server, 4 refused by the server. */
export type ExitCode = 0 | 1 | 2 | 3 | 4

/** A flag of one command. Without a placeholder it is a switch. */
export type Flag = { readonly about: string; readonly placeholder?: string }

export type Argument = {
  readonly name: string
  readonly about: string
  readonly optional?: true
  /** The last one may stand for several words; they are given as lines. */
  readonly many?: true
}

/** One row of the command line: what is parsed, helped and documented. */
export type Command = {
  /** `start`, or a noun and a verb: `world fork`. */
  readonly name: string
  readonly about: string
  readonly arguments?: readonly Argument[]
  /** Without the dashes. */
  readonly flags?: Readonly<Record<string, Flag>>
  /** Works on the data folder of the settings, and on no server that runs elsewhere. */
  readonly ownFolder?: true
  /** Which settings it takes as flags, beside url, data and world. */
  readonly settings?: 'all'
  /** The operations of the contract it calls. */
  readonly operations?: readonly OperationName[]
  readonly example: string
  readonly run: (context: Context) => Promise<ExitCode>
}

/** What a command has to work with. */
export type Context = {
  readonly config: Config
  readonly sources: Sources
  /** The positional arguments by name, and the command's own flags by name. */
  readonly given: ReadonlyMap<string, string>
  readonly json: boolean
  /** The words after `quipu`, as typed. */
  readonly line: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** A line on stdout: the answer. */
  readonly say: (text: string) => void
  /** Characters in a line of the terminal; no limit where stdout is a file or a pipe. */
  readonly width: number
  /** A person reads stdout and types on stdin. */
  readonly isTerminal: boolean
  /** Asks a person on a terminal one question. */
  readonly ask: (question: string) => Promise<string>
  /** A line on stderr: progress and remarks. */
  readonly note: (text: string) => void
  /** The server as its operator; throws NoServer. */
  readonly operator: () => Client
  /** The server without a credential; throws NoServer. */
  readonly anyone: () => Client
}

/** The command line itself is wrong; the message is the whole line to print. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** No server to talk to; the message says where was looked. */
export class NoServer extends Error {
  override readonly name = 'NoServer'
}

/** A command that could not do its work; the message is the whole line to print. */
export class Failed extends Error {
  override readonly name = 'Failed'
}
