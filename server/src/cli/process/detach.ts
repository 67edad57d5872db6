import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { ensureFolder, FolderNotWritable } from '../../process/folder.ts'
import { type Context, type ExitCode, Failed } from '../command.ts'
import type { Explained } from '../failures.ts'
import type { Ready } from './ready.ts'

/** What the background process tells the one that started it, over their channel. */
export type Told =
  | { readonly kind: 'ready'; readonly ready: Ready }
  | ({ readonly kind: 'failed' } & Explained)

/** Could not start; the background process has said why. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted'
  readonly exit: ExitCode

  constructor({ line, exit }: Explained) {
    super(line)
    this.exit = exit
  }
}

/** Tells the process that waits for us, if one does. */
export function tellStarter(told: Told): void {
  if (process.connected) process.send?.(told)
}

/** Starts the same command in the background and waits until it is ready. Its log goes into the data folder. */
export async function startDetached({ line }: Context, folder: string): Promise<Ready> {
  const log = openLog(folder)
  const words = line.filter((word) => word !== '--detach')
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...words], {
    detached: true,
    stdio: ['ignore', 'ignore', log, 'ipc'],
  })
  closeSync(log)
  try {
    const told = await firstWord(child)
    if (told.kind === 'failed') throw new NotStarted(told)
    return told.ready
  } finally {
    if (child.connected) child.disconnect()
    child.unref()
  }
}

function firstWord(child: ChildProcess): Promise<Told> {
  return new Promise((resolve, reject) => {
    child.once('message', (told) => resolve(told as Told))
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      reject(new Failed(`the server ended while starting (${signal ?? `exit code ${code}`}): see its log`)),
    )
  })
}

function openLog(folder: string): number {
  ensureFolder(folder)
  try {
    return openSync(join(folder, 'server.log'), 'a', 0o600)
  } catch (error) {
    throw new FolderNotWritable(folder, error)
  }
}
